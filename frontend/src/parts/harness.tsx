import type { DataUIPart } from 'ai';
import { History } from 'lucide-react';
import type { HarnessState } from '../chat/harness.ts';
import { text } from '../ui/text.ts';
import type { PartProps } from './registry.tsx';

/** How the agent's program came to know what was said before, where it did not just go on. */
export function HarnessPart({ part }: PartProps<DataUIPart<{ harness: HarnessState }>>) {
  const { how } = part.data;
  if (how !== 'resumed' && how !== 'retold') return null;
  return (
    <p className="flex items-center gap-2 text-xs text-faint">
      <History aria-hidden className="size-3.5 shrink-0" />
      {text.harness.how[how]}
    </p>
  );
}
