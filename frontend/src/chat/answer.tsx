import { memo } from 'react';
import { rendererOf } from '../parts/registry.tsx';
import { isSource, Sources } from '../parts/source.tsx';
import { ToolGroup } from '../parts/tool.tsx';
import { isToolPart } from '../tools/call.ts';
import { text } from '../ui/text.ts';
import type { Message, Part } from './message.ts';
import { questionsIn } from './questions.ts';
import type { OpenSession } from './session.ts';

interface AnswerProps {
  session: OpenSession;
  message: Message;
  live: boolean;
}

/** What the agent said and did, part by part. Calls that follow each other stand together. */
export const Answer = memo(function Answer({ session, message, live }: AnswerProps) {
  const groups = grouped(message.parts);
  const questions = questionsIn(message.parts);
  if (groups.length === 0) return null;
  return (
    <div data-message={message.id} className="flex min-w-0 flex-col gap-4">
      <h2 className="sr-only">{text.answered}</h2>
      {groups.map(({ at, parts }, i) => {
        const isOpen = live && i === groups.length - 1;
        const key = `${message.id}.${at}`;
        const [part] = parts;
        if (isToolPart(part!)) return <ToolGroup key={key} parts={parts} questions={questions} live={live} session={session} />;
        if (isSource(part!)) return <Sources key={key} parts={parts} />;
        const Renderer = rendererOf(part!.type);
        return <Renderer key={key} id={key} part={part!} live={isOpen} session={session} />;
      })}
    </div>
  );
});

/** Parts in groups, each with the place of its first: calls in a row are one, sources too. What belongs to a call is shown there. */
function grouped(parts: Part[]): { at: number; parts: Part[] }[] {
  const groups: { at: number; parts: Part[] }[] = [];
  for (const [at, part] of parts.entries()) {
    const last = groups.at(-1);
    if (ofCalls.includes(part.type) || part.type === 'step-start' || (part.type === 'text' && !part.text)) continue;
    const goesWith = (is: (part: Part) => boolean) => last && is(part) && is(last.parts[0]!);
    if (goesWith(isToolPart) || goesWith(isSource)) last!.parts.push(part);
    else groups.push({ at, parts: [part] });
  }
  return groups;
}

/** A hint how to show a call that this version does not know is no loss: the call has its card. */
const ofCalls = ['data-approval', 'data-input-request', 'data-render'];
