import { useEffect } from 'react';
import type { Agent } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';

/** What Parley shows to models. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const OWN_LOOP = ['native', 'agenta'];

/** Tells whether an agent sees what is in a file of a type. Of what it does not see it is told. Undefined: nobody knows yet. */
export function useSees(agent: Agent | undefined, isAsked: boolean): (mediaType: string) => boolean | undefined {
  const { harnesses } = useParley();
  const all = useStore(harnesses, state => state.harnesses);
  const isOwn = agent !== undefined && OWN_LOOP.includes(agent.harness);
  useEffect(() => {
    if (isAsked && !isOwn) void harnesses.look();
  }, [harnesses, isAsked, isOwn]);
  const program = all?.find(({ kind }) => kind === agent?.harness);
  const isKnown = program || all?.length; // where programs run elsewhere, nothing is known of them
  return mediaType => {
    if (!PICTURES.includes(mediaType)) return false;
    if (isOwn) return true;
    return isKnown ? (program?.can.includes('images') ?? false) : undefined;
  };
}
