import { Fragment } from 'react';
import { text } from '../ui/text.ts';
import { Lines } from './output.tsx';
import { terminal, type Span } from './terminal.ts';

const mostLive = 5; // lines of a program that runs

/** What was written to a terminal, as it shows it. */
export function Terminal({ written }: { written: string }) {
  const lines = terminal(written.replace(/\n$/, ''));
  return (
    <Lines count={lines.length} label={text.tool.output}>
      {(first, end) => <Screen lines={lines.slice(first, end)} />}
    </Lines>
  );
}

/** The end of what a running program has written. */
export function LiveTerminal({ written }: { written: string }) {
  const lines = terminal(written.trimEnd()).slice(-mostLive);
  return (
    <div dir="ltr" aria-hidden className="mb-1.5 overflow-hidden rounded-md border border-line bg-sunken px-3 py-1.5">
      <Screen lines={lines} />
    </div>
  );
}

function Screen({ lines }: { lines: Span[][] }) {
  return (
    <pre className="font-mono text-code">
      {joined(lines).map(({ text: piece, className }, i) =>
        // A screen has no names for its pieces.
        // oxlint-disable-next-line react/no-array-index-key
        className ? <span key={i} className={className}>{piece}</span> : <Fragment key={i}>{piece}</Fragment>,
      )}
    </pre>
  );
}

/** Lines as one text, in as few pieces as there are looks: most programs write without any. */
function joined(lines: Span[][]): Span[] {
  const pieces: Span[] = [];
  for (const [i, line] of lines.entries()) {
    for (const span of i > 0 ? [{ text: '\n', className: pieces.at(-1)?.className ?? '' }, ...line] : line) {
      const last = pieces.at(-1);
      if (last?.className === span.className) last.text += span.text;
      else pieces.push({ ...span });
    }
  }
  return pieces;
}
