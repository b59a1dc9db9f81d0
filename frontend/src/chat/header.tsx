import { Folder, PanelLeft, Workflow } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../api/types.gen.ts';
import { InboxButton } from '../inbox/button.tsx';
import { useParley } from '../parley.ts';
import { Rename } from '../sessions/rename.tsx';
import { useSidebar } from '../sessions/shown.ts';
import { IconButton, IconLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { text } from '../ui/text.ts';
import { canvasHref } from '../workflow/place.ts';

interface HeaderProps {
  title: string;
  session: Session | undefined; // as it is stored, if it is
}

/** What this is about, and where it happens. */
export function Header({ title, session }: HeaderProps) {
  const { list, toasts } = useParley();
  const sidebar = useSidebar();
  const [isRenaming, setRenaming] = useState(false);
  const rename = (name: string | undefined) => {
    setRenaming(false);
    if (session && name) list.rename(session.id, name).catch((error: Error) => toasts.show(error.message));
  };
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2.5">
      <IconButton icon={PanelLeft} label={text.keys.sidebar} aria-expanded={sidebar.isShown} onClick={sidebar.toggle} />
      {!sidebar.isShown && <InboxButton />}
      <h1 className="min-w-0 text-sm font-semibold">
        {isRenaming && session ? (
          <Rename title={session.title} onDone={rename} />
        ) : session?.title ? (
          <button type="button" title={text.rename} onClick={() => setRenaming(true)} className="block max-w-full truncate rounded-md px-1.5 py-1 hover:bg-hover">
            {title}
          </button>
        ) : (
          <span className="block truncate px-1.5">{title}</span>
        )}
      </h1>
      {session && (
        <div className="ms-auto flex shrink-0">
          {session.turns > 0 && <IconLink icon={Workflow} label={text.sessions.toCanvas} href={canvasHref({ session: session.id })} />}
          <CopyButton icon={Folder} content={() => folderOf(session)} label={text.copyFolder(folderOf(session))} className="size-8" />
        </div>
      )}
    </header>
  );
}

/** Where the session's agent works. */
const folderOf = ({ scope, scratch, workingDir }: Session) => (scope === 'sandboxed' ? scratch : workingDir || scratch);
