import { useRef, type ReactNode } from 'react';
import { CopyButton } from '../../ui/copy.tsx';
import { text } from '../../ui/text.ts';
import { toCsv } from './csv.ts';

/** A table scrolls by itself and can be taken along. */
export function Table({ children }: { children?: ReactNode }) {
  const table = useRef<HTMLTableElement>(null);
  const csv = () => toCsv([...(table.current?.rows ?? [])].map(row => [...row.cells].map(cell => cell.textContent ?? '')));
  return (
    <div className="group/table relative">
      <div className="overflow-x-auto rounded-lg border border-line" role="region" aria-label={text.table} tabIndex={0}>
        <table ref={table}>{children}</table>
      </div>
      <CopyButton
        content={csv}
        label={text.copyCsv}
        className="absolute end-1 top-1 bg-raised opacity-0 group-focus-within/table:opacity-100 group-hover/table:opacity-100"
      />
    </div>
  );
}
