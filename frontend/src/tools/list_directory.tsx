import { CornerUpRight, File, Folder, FolderOpen, type LucideIcon } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument, has, isListOf, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { Lines } from './output.tsx';

/** What backend/tool/list_directory.go gives. */
interface ListDirectory {
  path: string;
  entries: Entry[];
  truncated: boolean;
}

interface Entry {
  name: string;
  type: string; // file, directory, symlink or other
  size: number;
}

const icons: Record<string, LucideIcon> = { directory: Folder, symlink: CornerUpRight };

export const listDirectory: Card = {
  icon: FolderOpen,
  verb: call => tense(call, text.tool.list),
  target: call => argument(call.input, 'path'),
  meta: call => {
    const data = dataOf(call);
    return data && text.tool.entries(data.entries.length, data.truncated);
  },
  body: call => {
    const data = dataOf(call);
    if (!data) return undefined;
    if (data.entries.length === 0) return <p className="text-sm text-faint">{text.tool.emptyFolder}</p>;
    return (
      <Lines count={data.entries.length} label={text.tool.output}>
        {(first, end) => (
          <ul className="font-mono text-code">
            {data.entries.slice(first, end).map(entry => (
              <EntryLine key={entry.name} entry={entry} />
            ))}
          </ul>
        )}
      </Lines>
    );
  },
};

function EntryLine({ entry }: { entry: Entry }) {
  const Icon = Object.hasOwn(icons, entry.type) ? icons[entry.type]! : File;
  return (
    <li className="flex items-center gap-2">
      <Icon aria-label={text.tool.entryType(entry.type)} className="size-3.5 shrink-0 text-faint" />
      <span className="min-w-0 truncate">{entry.name}</span>
      {entry.type === 'file' && <span className="ms-auto ps-4 text-faint tabular-nums">{text.bytes(entry.size)}</span>}
    </li>
  );
}

function dataOf({ output }: Call): ListDirectory | undefined {
  const isOurs = has<ListDirectory>(output, { path: 'string', entries: 'object', truncated: 'boolean' });
  return isOurs && isListOf<Entry>(output.entries, { name: 'string', type: 'string', size: 'number' }) ? output : undefined;
}
