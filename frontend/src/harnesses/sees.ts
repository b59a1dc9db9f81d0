import { useEffect } from 'react';
import type { Agent } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { useStore } from '../ui/store.ts';

/** Tells whether an agent sees what is in a file of a type. Of what it does not see it is told. Undefined: nobody knows yet. */
export function useSees(agent: Agent | undefined, isAsked: boolean): (mediaType: string) => boolean | undefined {
  const { harnesses } = useParley();
  const all = useStore(harnesses, state => state.harnesses);
  useEffect(() => {
    if (isAsked) void harnesses.look();
  }, [harnesses, isAsked]);
  const program = all?.find(({ kind }) => kind === agent?.harness);
  const isKnown = program || all?.length; // where programs run elsewhere, nothing is known of them
  return mediaType => {
    if (!mediaType.startsWith('image/')) return false;
    return isKnown ? (program?.can.includes('images') ?? false) : undefined;
  };
}
