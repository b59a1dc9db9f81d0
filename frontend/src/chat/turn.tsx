import { memo } from 'react';
import { FilePart } from '../parts/file.tsx';
import { ErrorBoundary } from '../ui/boundary.tsx';
import { text } from '../ui/text.ts';
import { Answer } from './answer.tsx';
import { TurnEnd } from './end.tsx';
import { spoken, type Message } from './message.ts';
import { Progress } from './progress.tsx';
import { CanRetry } from './retry.ts';
import type { OpenSession } from './session.ts';
import type { Turn } from './turns.ts';

interface TurnViewProps {
  session: OpenSession;
  turn: Turn;
  isLast: boolean;
  isBusy: boolean;
  position: number;
  setSize: number;
}

/** One turn: what was asked, what was answered, and how it ended. */
export const TurnView = memo(function TurnView({ session, turn, isLast, isBusy, position, setSize }: TurnViewProps) {
  const { asked, answers } = turn;
  return (
    <article
      aria-posinset={position}
      aria-setsize={setSize}
      aria-label={text.turn(asked ? spoken(asked) : '')}
      className={`group/turn mx-auto flex max-w-measure flex-col gap-5 px-4 pt-2 sm:px-6 ${isLast ? 'pb-5' : 'pb-2'}`}
    >
      <ErrorBoundary fallback={Broken}>
        {asked && <Asked message={asked} />}
        <CanRetry value={isLast && !isBusy}>
          {answers.map((answer, i) => (
            <Answer key={answer.id} session={session} message={answer} live={isBusy && i === answers.length - 1} />
          ))}
        </CanRetry>
        {isBusy && <Progress session={session} answer={answers.at(-1)} />}
        {!isBusy && <TurnEnd session={session} answers={answers} isLast={isLast} />}
      </ErrorBoundary>
    </article>
  );
});

function Asked({ message }: { message: Message }) {
  const said = spoken(message);
  return (
    <div data-message={message.id} className="flex flex-col items-end gap-2">
      <h2 className="sr-only">{text.asked}</h2>
      {message.parts.map((part, i) => part.type === 'file' && <FilePart key={i} part={part} />)}
      {said && (
        <p
          dir="auto"
          className="max-w-[88%] rounded-2xl rounded-ee-md bg-bubble px-4 py-2.5 break-words whitespace-pre-wrap contrast-more:border contrast-more:border-line"
        >
          {said}
        </p>
      )}
    </div>
  );
}

function Broken({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="text-sm text-soft">
      {text.brokenTurn}{' '}
      <button type="button" className="text-accent underline" onClick={onRetry}>
        {text.again}
      </button>
    </p>
  );
}
