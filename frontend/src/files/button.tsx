import { FolderPen, FolderSearch, ShieldAlert } from 'lucide-react';
import { useParley } from '../parley.ts';
import { inShort, type Chosen } from './chosen.ts';
import { filesText } from './text.ts';

const icons = { sandboxed: FolderSearch, project: FolderPen, full: ShieldAlert };

/** Says which files the agent reaches, and lets the person choose. */
export function FilesButton({ chosen }: { chosen: Chosen }) {
  const { dialogs } = useParley();
  const Icon = icons[chosen.scope];
  const label = filesText.change(inShort(chosen));
  return (
    <button
      type="button"
      aria-label={label}
      aria-haspopup="dialog"
      title={chosen.workingDir ? `${label}\n${chosen.workingDir}` : label}
      onClick={() => dialogs.showFiles()}
      className={`flex h-8 min-w-0 max-w-48 items-center gap-1.5 rounded-md px-2 text-sm hover:bg-hover ${chosen.scope === 'full' ? 'text-warn' : 'text-soft hover:text-ink'}`}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className="truncate">{inShort(chosen)}</span>
    </button>
  );
}
