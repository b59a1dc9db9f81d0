import { Download, Hand, Pencil, Trash2 } from 'lucide-react';
import { memo, useState, type KeyboardEvent } from 'react';
import type { Session } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { IconButton } from '../ui/button.tsx';
import { goTo, hrefOf } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Rename } from './rename.tsx';

interface SessionRowProps {
  session: Session;
  isCurrent: boolean;
  onGo: () => void;
}

export const SessionRow = memo(function SessionRow({ session, isCurrent, onGo }: SessionRowProps) {
  const { dialogs, list, open, toasts } = useParley();
  const [isRenaming, setRenaming] = useState(false);
  const draft = session.draft || session.draftFiles.map(({ name }) => name).join(', ');
  const title = session.title || (draft ? text.sessions.draft(draft) : text.untitled);
  const failed = (error: Error) => toasts.show(error.message);

  const rename = (name: string | undefined) => {
    setRenaming(false);
    if (name) list.rename(session.id, name).catch(failed);
  };
  const remove = () => {
    if (isCurrent) goTo(undefined);
    open.close(session.id);
    list.remove(session.id).catch(failed);
    toasts.show(text.sessions.deleted(title), {
      label: text.undo,
      run: () => list.restore(session.id).then(() => isCurrent && goTo(session.id), failed),
    });
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'F2') setRenaming(true);
    if (event.key === 'Delete') remove();
  };

  if (isRenaming) {
    return (
      <li className="px-1 py-0.5">
        <Rename title={session.title} onDone={rename} />
      </li>
    );
  }
  return (
    <li className={`group/row relative flex items-center rounded-md hover:bg-hover ${isCurrent ? 'bg-hover' : ''}`}>
      <a
        href={hrefOf(session.id)}
        aria-current={isCurrent ? 'page' : undefined}
        aria-keyshortcuts="F2 Delete"
        title={title}
        onClick={onGo}
        onKeyDown={pressed}
        onDoubleClick={() => setRenaming(true)}
        className={`flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md ps-2 pe-2 text-sm ${isCurrent ? 'font-medium' : ''}`}
      >
        <span className={`min-w-0 flex-1 truncate ${session.title ? '' : 'text-soft italic'}`}>{title}</span>
        <Mark session={session} />
      </a>
      <div className="absolute end-0.5 hidden rounded-md bg-panel group-focus-within/row:flex group-hover/row:flex">
        <IconButton icon={Pencil} label={text.rename} onClick={() => setRenaming(true)} className="size-7" />
        <IconButton icon={Download} label={text.sessions.export} onClick={() => dialogs.showExport(session.id)} className="size-7" />
        <IconButton icon={Trash2} label={text.sessions.delete} onClick={remove} className="size-7" />
      </div>
    </li>
  );
});

/** What goes on in a session: by form as well as by colour. */
function Mark({ session }: { session: Session }) {
  const { list } = useParley();
  const isUnread = useStore(list, state => state.unread.has(session.id));
  const isFailed = useStore(list, state => state.failed.has(session.id)) || session.status === 'interrupted';
  if (session.status === 'running') return <Dot label={text.sessions.running} className="animate-breathe border-2 border-accent" />;
  if (session.status === 'paused') return <Hand role="img" aria-label={text.sessions.paused} className="size-3.5 shrink-0 text-warn" />;
  if (isFailed) return <Dot label={text.sessions.failed} className="rotate-45 rounded-none! bg-bad" />;
  if (isUnread) return <Dot label={text.sessions.unread} className="bg-accent" />;
  return null;
}

function Dot({ label, className }: { label: string; className: string }) {
  return <span role="img" aria-label={label} title={label} className={`size-2 shrink-0 rounded-full ${className}`} />;
}
