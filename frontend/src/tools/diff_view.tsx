import { text } from '../ui/text.ts';
import type { DiffLine } from './diff.ts';
import { Lines } from './output.tsx';

/** How much a diff adds and removes. */
export function Changes({ added, removed }: { added: number; removed: number }) {
  if (added + removed === 0) return null;
  return (
    <span aria-label={text.tool.changes(added, removed)} className="font-mono">
      {added > 0 && <span className="text-good">+{added}</span>} {removed > 0 && <span className="text-bad">−{removed}</span>}
    </span>
  );
}

const looks: Record<DiffLine['kind'], [sign: string, className: string]> = {
  same: [' ', ''],
  added: ['+', 'bg-good-tint'],
  removed: ['−', 'bg-bad-tint'],
  gap: ['⋯', 'text-faint'],
};

interface DiffProps {
  lines: DiffLine[];
  /** What it is called where there are several. */
  label?: string;
}

export function Diff({ lines, label = text.tool.diff }: DiffProps) {
  return (
    <Lines count={lines.length} label={label}>
      {(first, end) => (
        <table className="-mx-3 w-[calc(100%+1.5rem)] border-collapse font-mono text-code">
          <tbody>
            {lines.slice(first, end).map((line, i) => {
              const [sign, className] = looks[line.kind];
              return (
                // oxlint-disable-next-line react/no-array-index-key -- a diff never changes
                <tr key={first + i} className={className}>
                  <LineNumber n={line.old} />
                  <LineNumber n={line.now} />
                  <td className="w-4 text-center select-none">{sign}</td>
                  <td className="pe-3 whitespace-pre">{line.text || ' '}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Lines>
  );
}

function LineNumber({ n }: { n: number | undefined }) {
  return <td className="w-10 px-1.5 text-end text-faint select-none">{n}</td>;
}
