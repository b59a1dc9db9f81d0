import { useEffect, useState } from 'react';
import type { Sandbox } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { heldText } from './text.ts';

/** Says what of a choice of files the system itself holds, for programs that an agent runs in too. */
export function Held() {
  const { client } = useParley();
  const [sandbox, know] = useState<Sandbox>();
  useEffect(() => {
    let isGone = false;
    client.sandbox().then(
      found => isGone || know(found),
      () => {}, // then nothing is said of it
    );
    return () => {
      isGone = true;
    };
  }, [client]);
  if (!sandbox) return null;
  if (!sandbox.files.by) return <p>{heldText.nothing(sandbox.files.lacks)}</p>;
  const lacking = Object.values(sandbox).filter(({ lacks }) => lacks);
  return (
    <>
      <p>{heldText.held}</p>
      {lacking.map(({ lacks, remedy }) => (
        <p key={lacks} className="text-warn">
          {heldText.lacks(lacks)} {remedy}
        </p>
      ))}
    </>
  );
}
