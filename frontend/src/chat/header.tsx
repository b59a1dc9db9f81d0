import { Folder, PanelLeft } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Rename } from '../sessions/rename.tsx';
import { useSidebar } from '../sessions/shown.ts';
import { IconButton } from '../ui/button.tsx';
import { text } from '../ui/text.ts';

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
        <span title={text.folder(session.workingDir)} className="ms-auto flex min-w-0 items-center gap-1.5 ps-4 pe-1.5 text-xs text-faint max-md:hidden">
          <Folder aria-hidden className="size-3.5 shrink-0" />
          {/* Of a long path the end tells more than the beginning. */}
          <span className="max-w-64 truncate [direction:rtl]">
            <bdi>{session.workingDir}</bdi>
          </span>
        </span>
      )}
    </header>
  );
}
