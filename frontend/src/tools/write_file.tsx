import { FilePen } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument, has, pathOf, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { countChanges, parseDiff, replacement, type DiffLine } from './diff.ts';
import { Changes, Diff } from './diff_view.tsx';
import { Output } from './output.tsx';

/** What became of a file: what backend/tool/write_file.go gives, and whoever else changes files. */
interface Change {
  path: string;
  bytes?: number;
  created?: boolean;
  diff: string;
}

/** A file that is written, or of which a part is replaced. */
export const writeFile: Card = {
  icon: FilePen,
  verb: call => tense(call, changeIn(call)?.created ? text.tool.create : text.tool.write),
  target: call => pathOf(call.input) ?? changeIn(call)?.path,
  meta: call => {
    const lines = linesOf(call);
    return lines && call.state === 'done' && <Changes {...countChanges(lines)} />;
  },
  body: call => {
    const lines = linesOf(call);
    if (lines && lines.length > 0) return <Diff lines={lines} />;
    const change = changeIn(call);
    if (change) return <p className="text-sm text-faint">{text.tool.unchanged(change.bytes)}</p>;
    const content = argument(call.input, 'content');
    return call.error === undefined && content !== undefined ? <Output text={content} from={1} /> : undefined;
  },
};

/** What changes in the file, as far as it is known: what was changed, or else what the call asks for. */
function linesOf(call: Call): DiffLine[] | undefined {
  const change = changeIn(call);
  if (change) return parseDiff(change.diff);
  const edits = call.error === undefined ? editsIn(call.input) : [];
  return edits.length > 0 ? edits.flatMap(replacement) : undefined;
}

/** What a call names the text that goes and the one that comes; each of the programs has names of its own. */
const textNames = [['old', 'new'], ['old_string', 'new_string'], ['oldString', 'newString'], ['oldText', 'newText']] as const;

/** The replacements that a call asks for. */
export function editsIn(input: unknown): [old: string, now: string][] {
  const listed = (input as { edits?: unknown } | null | undefined)?.edits;
  return (Array.isArray(listed) ? listed : [input]).flatMap((edit): [string, string][] => {
    for (const [before, after] of textNames) {
      const [old, now] = [argument(edit, before), argument(edit, after)];
      if (old !== undefined && now !== undefined) return [[old, now]];
    }
    return [];
  });
}

/** What became of the file, where the call tells. */
export function changeIn({ output }: Call): Change | undefined {
  return has<Pick<Change, 'path' | 'diff'>>(output, { path: 'string', diff: 'string' }) ? output : undefined;
}
