import { CircleSlash, GitFork, Hand, RotateCcw, Square, Unplug, type LucideIcon } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useParley } from '../parley.ts';
import { IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { goTo } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { isOver, spoken, type Message } from './message.ts';
import { openQuestions } from './questions.ts';
import type { OpenSession } from './session.ts';

const ToCanvas = lazy(() => import('../workflow/origin/back.tsx'));

interface TurnEndProps {
  session: OpenSession;
  answers: Message[];
  isLast: boolean;
  /** Whether it has to stay as it is. */
  isFixed: boolean;
}

/** How a turn ended, if it did not end well, and what it took. */
export function TurnEnd({ session, answers, isLast, isFixed }: TurnEndProps) {
  const answer = answers.at(-1);
  const isCut = useStore(session, state => state.cut);
  const isSyncing = useStore(session, state => state.syncing);
  if (isCut && isLast) return <Note icon={Unplug} says={text.end.resuming} />;
  const isWhole = answer !== undefined && isOver(answer);
  if (!isWhole && isSyncing) return null;
  const open = isLast ? openQuestions(answer) : [];
  if (open.length > 0) return <Note icon={Hand} says={open.every(({ kind }) => kind === 'client_tool') ? text.question.client : text.end.paused} />;
  const [icon, says] = isWhole ? (endings[answer.metadata!.stopReason!] ?? []) : [Unplug, text.end.truncated];
  const content = answers.map(spoken).filter(Boolean).join('\n\n');
  return (
    <>
      {icon && says && <Note icon={icon} says={says} onRetry={isLast ? () => void session.retry() : undefined} />}
      {isWhole && <Meters session={session} answer={answer} content={content} isLast={isLast} isFixed={isFixed} />}
    </>
  );
}

/** The endings that have something to say. A failure says it in its own part. */
const endings: Record<string, [icon: LucideIcon, says: string]> = {
  cancelled: [Square, text.end.stopped],
  max_tokens: [CircleSlash, text.end.length],
};

function Note({ icon: Icon, says, onRetry }: { icon: LucideIcon; says: string; onRetry?: () => void }) {
  return (
    <p className="flex items-center gap-2 text-sm text-soft">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {says}
      {onRetry && (
        <button type="button" onClick={onRetry} className="ms-1 inline-flex items-center gap-1 rounded font-medium text-accent hover:underline">
          <RotateCcw aria-hidden className="size-3.5" />
          {text.error.retry}
        </button>
      )}
    </p>
  );
}

const worthSaying = 100; // milliseconds

interface MetersProps {
  session: OpenSession;
  answer: Message;
  content: string;
  isLast: boolean;
  isFixed: boolean;
}

/** What the turn took, for who looks for it, and what can be done with the answer. */
function Meters({ session, answer, content, isLast, isFixed }: MetersProps) {
  const { client, list, toasts } = useParley();
  const savedAs = useStore(list, () => list.get(session.id)?.exportedPath);
  const { model, usage, createdAt, finishedAt } = answer.metadata ?? {};
  const facts = [
    model,
    usage && usage.total > 0 ? text.meters.tokens(usage.input, usage.output) : undefined,
    createdAt && finishedAt && finishedAt - createdAt >= worthSaying ? text.meters.took(finishedAt - createdAt) : undefined,
  ];
  const fork = () => client.fork(session.id, { messageId: answer.id }).then(({ id }) => goTo(id), (error: Error) => toasts.show(error.message));
  return (
    <footer
      className={`-mt-3 flex h-7 items-center text-xs text-faint transition-opacity group-focus-within/turn:opacity-100 group-hover/turn:opacity-100 ${isLast ? '' : 'pointer-fine:opacity-0'}`}
    >
      {content && <CopyButton content={() => content} label={text.copyAnswer} className="-ms-1.5 size-7" />}
      {!isFixed && <IconButton icon={RotateCcw} label={text.branch.regenerate} onClick={() => void session.retry(answer.id)} className="size-7" />}
      <IconButton icon={GitFork} label={text.branch.fork} onClick={() => void fork()} className="size-7" />
      {savedAs?.endsWith('.relavium.yaml') && (
        <Suspense>
          <ToCanvas session={session} answer={answer.id} savedAs={savedAs} />
        </Suspense>
      )}
      <span className="truncate ps-1 tabular-nums">{facts.filter(Boolean).join(' · ')}</span>
    </footer>
  );
}
