import { useRef, useState, type ReactNode } from 'react';
import { text as say } from '../ui/text.ts';

const mostLines = 400;
/** From so many on, only the lines around the ones that are seen are there. */
const mostWhole = 2000;
const lineHeight = 20.8; // of text-code, in pixels
const margin = 100; // lines that are there before and after the ones that are seen

/** Text as a tool gave it. A long one is cut until somebody asks for all. */
export function Output({ text, from }: { text: string; from?: number }) {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <Lines count={lines.length} label={say.tool.output}>
      {(first, end) => (
        <div className="flex font-mono text-code">
          {from !== undefined && (
            <pre aria-hidden className="shrink-0 pe-4 text-end text-faint select-none">
              {Array.from({ length: end - first }, (_, i) => from + first + i).join('\n')}
            </pre>
          )}
          <pre className="min-w-0 flex-1">{lines.slice(first, end).join('\n')}</pre>
        </div>
      )}
    </Lines>
  );
}

interface LinesProps {
  count: number;
  label: string;
  /** Shows the lines from first up to end. */
  children: (first: number, end: number) => ReactNode;
}

/** A scrolling box of lines, the first of many until somebody asks for all. All are of one height. */
export function Lines({ count, label, children }: LinesProps) {
  const [isWhole, showAll] = useState(count <= mostLines);
  const [seen, see] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const shown = isWhole ? count : mostLines;
  const isWindow = shown > mostWhole;
  const first = isWindow ? Math.max(0, seen - margin) : 0;
  const end = isWindow ? Math.min(shown, seen + 2 * margin) : shown;
  const scrolled = () => {
    const top = Math.floor(box.current!.scrollTop / lineHeight);
    if (Math.abs(top - seen) > margin / 2) see(top);
  };
  return (
    <div className="overflow-hidden rounded-md border border-line bg-sunken">
      <div
        ref={box}
        dir="ltr"
        role="region"
        aria-label={label}
        tabIndex={0}
        onScroll={isWindow ? scrolled : undefined}
        className="max-h-96 overflow-auto px-3 py-2"
      >
        <div style={isWindow ? { paddingTop: first * lineHeight, paddingBottom: (shown - end) * lineHeight } : undefined}>{children(first, end)}</div>
      </div>
      {!isWhole && (
        <button type="button" className="w-full border-t border-line py-1 text-xs text-soft hover:bg-hover" onClick={() => showAll(true)}>
          {say.showAll(count)}
        </button>
      )}
    </div>
  );
}
