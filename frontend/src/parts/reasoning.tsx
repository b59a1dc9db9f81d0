import type { ReasoningUIPart } from 'ai';
import { Lightbulb } from 'lucide-react';
import { Disclosure } from '../ui/disclosure.tsx';
import { text } from '../ui/text.ts';
import { useSeconds } from '../ui/time.ts';
import { Markdown } from './markdown/markdown.tsx';
import type { PartProps } from './registry.tsx';

/** What the model thought, folded away. */
export function ReasoningPart({ id, part, live, session }: PartProps<ReasoningUIPart>) {
  const isThinking = live && part.state === 'streaming';
  const seconds = useSeconds(session.seen, id, isThinking);
  return (
    <Disclosure
      icon={<Lightbulb aria-hidden className={`size-4 ${isThinking ? 'animate-breathe text-accent' : ''}`} />}
      label={isThinking ? text.reasoning.live(seconds) : text.reasoning.done(seconds)}
    >
      <div className="border-s-2 border-line ps-4 text-[0.9em] text-soft">
        <Markdown text={part.text} live={isThinking} />
      </div>
    </Disclosure>
  );
}
