import { useState, type ReactNode } from 'react';
import { text as say } from '../ui/text.ts';

const mostLines = 400;

/** Text as a tool gave it. A long one is cut until somebody asks for all. */
export function Output({ text, from }: { text: string; from?: number }) {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <Lines count={lines.length} label={say.tool.output}>
      {shown => (
        <div className="flex font-mono text-code">
          {from !== undefined && (
            <pre aria-hidden className="shrink-0 pe-4 text-end text-faint select-none">
              {Array.from({ length: shown }, (_, i) => from + i).join('\n')}
            </pre>
          )}
          <pre className="min-w-0 flex-1">{lines.slice(0, shown).join('\n')}</pre>
        </div>
      )}
    </Lines>
  );
}

interface LinesProps {
  count: number;
  label: string;
  children: (shown: number) => ReactNode;
}

/** A scrolling box of lines, the first of many. */
export function Lines({ count, label, children }: LinesProps) {
  const [isWhole, showAll] = useState(count <= mostLines);
  const shown = isWhole ? count : mostLines;
  return (
    <div className="overflow-hidden rounded-md border border-line bg-sunken">
      <div
        dir="ltr"
        role="region"
        aria-label={label}
        tabIndex={0}
        className="max-h-96 overflow-auto px-3 py-2"
      >
        {children(shown)}
      </div>
      {!isWhole && (
        <button type="button" className="w-full border-t border-line py-1 text-xs text-soft hover:bg-hover" onClick={() => showAll(true)}>
          {say.showAll(count)}
        </button>
      )}
    </div>
  );
}
