import type { DataUIPart } from 'ai';
import type { Steered } from '../chat/message.ts';
import { text } from '../ui/text.ts';
import type { PartProps } from './registry.tsx';

/** What the person said in the middle of the turn, where the agent heard it. */
export function SteeredPart({ part }: PartProps<DataUIPart<{ steered: Steered }>>) {
  return (
    <div className="flex flex-col items-end ps-9">
      <h3 className="sr-only">{text.steered}</h3>
      <p
        dir="auto"
        className="max-w-full min-w-0 rounded-2xl rounded-ee-md bg-bubble px-4 py-2.5 break-words whitespace-pre-wrap contrast-more:border contrast-more:border-line"
      >
        {part.data.text}
      </p>
    </div>
  );
}
