import { Pencil } from 'lucide-react';
import { memo, useState } from 'react';
import { RunChanges } from '../files/changes.tsx';
import { useParley } from '../parley.ts';
import { FilePart } from '../parts/file.tsx';
import { isToolPart } from '../tools/call.ts';
import { ErrorBoundary } from '../ui/boundary.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { useFocusBack } from '../ui/focus.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Answer } from './answer.tsx';
import { Branches } from './branches.tsx';
import { Editor } from './editor.tsx';
import { TurnEnd } from './end.tsx';
import { saidIn, titleOf, type Message } from './message.ts';
import { Progress } from './progress.tsx';
import { CanRetry } from './retry.ts';
import type { OpenSession } from './session.ts';
import type { Turn } from './turns.ts';

interface TurnViewProps {
  session: OpenSession;
  turn: Turn;
  isLast: boolean;
  isBusy: boolean;
  /** Whether a turn runs or waits somewhere in the session: then nothing of it can take another way. */
  isActive: boolean;
  /** The agent that takes over after it, by its id, if another one does. */
  handedTo: string | undefined;
  position: number;
  setSize: number;
}

/** One turn: what was asked, what was answered, and how it ended. */
export const TurnView = memo(function TurnView({ session, turn, isLast, isBusy, isActive, handedTo, position, setSize }: TurnViewProps) {
  const { asked, answers } = turn;
  return (
    <article
      aria-posinset={position}
      aria-setsize={setSize}
      aria-label={text.turn(asked ? titleOf(saidIn(asked)) : '')}
      className={`group/turn mx-auto flex max-w-measure flex-col gap-5 px-4 pt-2 sm:px-6 ${isLast ? 'pb-5' : 'pb-2'}`}
    >
      <ErrorBoundary fallback={Broken}>
        {asked && <Asked session={session} message={asked} isFixed={isActive} />}
        <Branches session={session} answers={answers} isFixed={isActive} />
        <CanRetry value={isLast && !isBusy}>
          {answers.map((answer, i) => (
            <Answer key={answer.id} session={session} message={answer} live={isBusy && i === answers.length - 1} />
          ))}
        </CanRetry>
        {!isBusy && answers.map(answer => answer.parts.some(isToolPart) && <RunChanges key={answer.id} session={session.id} answer={answer.id} />)}
        {isBusy && <Progress session={session} answer={answers.at(-1)} />}
        {!isBusy && <TurnEnd session={session} answers={answers} isLast={isLast} isFixed={isActive} />}
        {handedTo && <HandOver to={handedTo} />}
      </ErrorBoundary>
    </article>
  );
});

/** Says where another agent took over. */
function HandOver({ to }: { to: string }) {
  const { agents } = useParley();
  const name = useStore(agents, state => state.agents.find(({ id }) => id === to)?.name);
  return (
    <p className="flex items-center gap-3 text-xs text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {text.agent.continues(name || to)}
    </p>
  );
}

interface AskedProps {
  session: OpenSession;
  message: Message;
  /** Whether it has to stay as it is. */
  isFixed: boolean;
}

function Asked({ session, message, isFixed }: AskedProps) {
  const { edits } = session;
  const [isEdited, edit] = useState(edits.has(message.id));
  const opener = useFocusBack(isEdited);
  const { text: said, files } = saidIn(message);
  const done = (changed: string | undefined) => {
    edits.delete(message.id);
    edit(false);
    if (changed) void session.edit(message, changed);
  };
  return (
    <div data-message={message.id} className="group/asked flex flex-col items-end gap-2">
      <h2 className="sr-only">{text.asked}</h2>
      {files.length > 0 && (
        <div className="flex max-w-full flex-wrap justify-end gap-2">
          {files.map((file, i) => (
            <FilePart key={i} part={file} />
          ))}
        </div>
      )}
      {isEdited ? (
        <Editor
          label={text.branch.edit}
          content={said}
          written={edits.get(message.id)}
          canSave={!isFixed}
          onWrite={written => edits.set(message.id, written)}
          onDone={done}
        >
          {(send, cancel) => (
            <>
              <Button onClick={cancel}>{text.cancel}</Button>
              <Button look="strong" disabled={isFixed} onClick={send}>
                {text.branch.send}
              </Button>
            </>
          )}
        </Editor>
      ) : (
        <div className="flex max-w-full items-center gap-1">
          <IconButton
            ref={opener}
            icon={Pencil}
            label={text.branch.edit}
            onClick={() => edit(true)}
            className={`size-7 pointer-fine:opacity-0 pointer-fine:group-focus-within/asked:opacity-100 pointer-fine:group-hover/asked:opacity-100 ${isFixed ? 'invisible' : ''}`}
          />
          {said && (
            <p
              dir="auto"
              className="min-w-0 rounded-2xl rounded-ee-md bg-bubble px-4 py-2.5 break-words whitespace-pre-wrap contrast-more:border contrast-more:border-line"
            >
              {said}
            </p>
          )}
        </div>
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
