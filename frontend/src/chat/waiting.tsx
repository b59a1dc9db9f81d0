import { Clock, CornerDownRight, Paperclip, Pencil, SendHorizontal, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { useFocusBack } from '../ui/focus.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Editor } from './editor.tsx';
import { titleOf } from './message.ts';
import type { Queued } from './queue.ts';
import type { OpenSession } from './session.ts';

interface WaitingProps {
  session: OpenSession;
  /** Whether a turn runs or waits: then they go when it is done. */
  isActive: boolean;
  /** Whether the agent can be told one of them in the middle of its turn. */
  canSteer: boolean;
}

/** The messages that wait, above the place to write. */
export function Waiting({ session, isActive, canSteer }: WaitingProps) {
  const waiting = useStore(session.queue, state => state.waiting);
  if (waiting.length === 0) return null;
  const later = waiting.filter(({ given }) => !given).length;
  return (
    <section aria-label={text.queue.title} className="mx-auto w-full max-w-measure px-3 pt-1 text-sm sm:px-4">
      {/* Between two turns nothing runs, either, for a moment. */}
      {later > 0 && (
        <p key={String(isActive)} className={`px-4 pb-1 text-soft ${isActive ? '' : 'appear-late'}`}>
          {isActive ? text.queue.next(later) : text.queue.held(later)}
        </p>
      )}
      <ol className="flex max-h-[30dvh] flex-col gap-1 overflow-y-auto">
        {waiting.map(queued => (
          <Chip key={queued.number} session={session} queued={queued} canSteer={canSteer} />
        ))}
      </ol>
    </section>
  );
}

interface ChipProps {
  session: OpenSession;
  queued: Queued;
  canSteer: boolean;
}

function Chip({ session, queued: { number, given, text: said, files }, canSteer }: ChipProps) {
  const [isEdited, edit] = useState(false);
  const opener = useFocusBack(isEdited);
  const written = useRef('');
  const title = titleOf({ text: said, files });
  useEffect(
    () => () => {
      if (written.current) session.draft.giveBack({ text: written.current, files: [] }); // it went while it was changed
    },
    [session],
  );
  if (isEdited) {
    const done = (changed: string | undefined) => {
      written.current = '';
      edit(false);
      if (changed) void session.changeQueued(number, changed);
    };
    return (
      <li>
        <Editor label={text.queue.edit} content={said} onWrite={now => (written.current = now)} onDone={done}>
          {(save, cancel) => (
            <>
              <Button onClick={cancel}>{text.cancel}</Button>
              <Button look="strong" onClick={save}>
                {text.queue.save}
              </Button>
            </>
          )}
        </Editor>
      </li>
    );
  }
  const send = () => void session.sendQueued(number);
  return (
    <li className="flex items-center gap-1 rounded-xl border border-line bg-panel py-0.5 ps-4 pe-1">
      {given ? <CornerDownRight aria-hidden className="size-3.5 shrink-0 text-accent" /> : <Clock aria-hidden className="size-3.5 shrink-0 text-faint" />}
      {files.length > 0 && (
        <span className="flex shrink-0 items-center text-soft">
          <Paperclip aria-hidden className="size-3.5" />
          <span className="sr-only">{text.attach.title}</span> {files.length}
        </span>
      )}
      <span dir="auto" title={title} className="min-w-0 flex-1 truncate ps-1.5">
        {title}
      </span>
      {given ? (
        <span role="status" className="flex min-h-7 shrink-0 items-center pe-3 text-xs text-soft">
          {text.queue.given}
        </span>
      ) : (
        <>
          {canSteer && files.length === 0 ? (
            <IconButton icon={CornerDownRight} label={text.queue.steer} onClick={send} className="size-7" />
          ) : (
            <IconButton icon={SendHorizontal} label={text.queue.sendNow} onClick={send} className="size-7" />
          )}
          <IconButton ref={opener} icon={Pencil} label={text.queue.edit} onClick={() => edit(true)} className="size-7" />
          <IconButton icon={X} label={text.queue.remove} onClick={() => void session.unqueue(number)} className="size-7" />
        </>
      )}
    </li>
  );
}
