import { RefreshCw } from 'lucide-react';
import { useEffect } from 'react';
import type { Harness } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { HarnessRow } from './row.tsx';
import { harnessText } from './text.ts';

const isThere = ({ state }: Harness) => state !== 'missing';

/** The dialog about the programs that agents run in. */
export default function Harnesses() {
  const { harnesses } = useParley();
  const { harnesses: all, isLooking, problem } = useStore(harnesses, state => state);
  useEffect(() => void harnesses.look(), [harnesses]);
  return (
    <Dialog title={text.harness.title} isWide>
      <div className="mt-3 flex items-start gap-4">
        <p className="me-auto text-sm text-soft">{harnessText.says}</p>
        <Button className="shrink-0" disabled={isLooking} onClick={() => void harnesses.lookAgain()}>
          <RefreshCw aria-hidden className="size-3.5" /> {harnessText.again}
        </Button>
      </div>
      {isLooking && (
        <p role="status" className="mt-4 flex items-center gap-2 text-sm text-soft">
          <Spinner /> {harnessText.looking}
        </p>
      )}
      {problem && (
        <p role="alert" className="mt-4 text-sm text-bad">
          {problem}
        </p>
      )}
      {all?.length === 0 && <p className="mt-4 text-sm text-soft">{harnessText.elsewhere}</p>}
      {all && all.length > 0 && <Group title={harnessText.installed} rows={all.filter(isThere)} none={harnessText.none} />}
      {all && <Group title={harnessText.others} rows={all.filter(harness => !isThere(harness))} />}
    </Dialog>
  );
}

function Group({ title, rows, none }: { title: string; rows: Harness[]; none?: string }) {
  if (rows.length === 0 && !none) return null;
  return (
    <section aria-label={title}>
      <h3 className="mt-4 text-xs font-medium text-faint">{title}</h3>
      {rows.length === 0 && <p className="mt-1 text-sm text-soft">{none}</p>}
      <ul className="divide-y divide-line">
        {rows.map(harness => (
          <HarnessRow key={harness.kind} harness={harness} />
        ))}
      </ul>
    </section>
  );
}
