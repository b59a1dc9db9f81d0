import { Search } from 'lucide-react';
import { text } from '../ui/text.ts';
import { argument, has, isListOf, isTexts, type Call } from './call.ts';
import { tense, type Card } from './card.ts';
import { Lines } from './output.tsx';

/** What backend/tool/search_files.go gives. */
interface SearchFiles {
  files: FoundFile[];
  matches: number;
  truncated: boolean;
}

interface FoundFile {
  path: string;
  lines: FoundLine[];
}

interface FoundLine {
  number: number;
  /** Its text: every second piece matches. */
  pieces: string[];
}

export const searchFiles: Card = {
  icon: Search,
  verb: call => tense(call, text.tool.search),
  target: call => argument(call.input, 'pattern'),
  meta: call => {
    const data = dataOf(call);
    return data && text.tool.matches(data.matches, data.files.length, data.truncated);
  },
  body: call => {
    const data = dataOf(call);
    if (!data) return undefined;
    if (data.files.length === 0) return <p className="text-sm text-faint">{text.tool.noMatches}</p>;
    const rows = data.files.flatMap(file => [file.path, ...file.lines]);
    return (
      <Lines count={rows.length} label={text.tool.output}>
        {(first, end) => (
          <table className="w-full border-collapse font-mono text-code">
            <tbody>
              {rows.slice(first, end).map((row, i) => (
                // oxlint-disable-next-line react/no-array-index-key -- what was found does not change
                <Row key={first + i} row={row} isApart={first + i > 0 && leavesOut(rows[first + i - 1]!, row)} />
              ))}
            </tbody>
          </table>
        )}
      </Lines>
    );
  },
};

/** Whether lines are left out between two that stand one after the other. */
function leavesOut(before: string | FoundLine, row: string | FoundLine): boolean {
  return typeof before !== 'string' && typeof row !== 'string' && row.number > before.number + 1;
}

/** The path of a file, or a line of it. */
function Row({ row, isApart }: { row: string | FoundLine; isApart: boolean }) {
  if (typeof row === 'string') {
    return (
      <tr>
        <th colSpan={2} scope="rowgroup" className="pt-2 pb-0.5 text-start font-semibold first:pt-0">
          {row}
        </th>
      </tr>
    );
  }
  const isContext = row.pieces.length === 1;
  return (
    <tr className={isApart ? 'border-t border-line' : ''}>
      <td className="w-10 pe-3 text-end align-top text-faint select-none">{row.number}</td>
      <td className={`whitespace-pre ${isContext ? 'text-soft' : ''}`}>
        {row.pieces.map((piece, i) =>
          // oxlint-disable-next-line react/no-array-index-key -- pieces have no names
          i % 2 ? <mark key={i} className="rounded-sm bg-mark text-ink">{piece}</mark> : piece,
        )}
      </td>
    </tr>
  );
}

function dataOf({ output }: Call): SearchFiles | undefined {
  const isOurs = has<SearchFiles>(output, { files: 'object', matches: 'number', truncated: 'boolean' });
  return isOurs && isListOf<FoundFile>(output.files, { path: 'string', lines: 'object' }) && output.files.every(areLines) ? output : undefined;
}

function areLines({ lines }: FoundFile): boolean {
  return isListOf<FoundLine>(lines, { number: 'number', pieces: 'object' }) && lines.every(({ pieces }) => isTexts(pieces));
}
