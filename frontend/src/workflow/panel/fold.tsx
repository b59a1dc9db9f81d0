import { ChevronRight, CircleAlert } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { panelText } from './text.ts';

interface FoldProps {
  label: string;
  initially: boolean;
  /** Whether something inside has a problem. */
  isWrong?: boolean;
  /** Buttons at the end of its line. */
  tools?: ReactNode;
  children: ReactNode;
}

/** A part of a form that opens. Its fields are there while it is closed, so that they can be found and led to. */
export function Fold({ label, initially, isWrong = false, tools, children }: FoldProps) {
  const [isOpen, setOpen] = useState(initially);
  return (
    <div className="relative">
      <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)} className="group/fold">
        <summary className={`flex min-h-7 items-center gap-1.5 rounded-md text-sm font-medium text-soft hover:text-ink ${tools ? 'pe-24' : ''}`}>
          <ChevronRight aria-hidden className={`size-3.5 shrink-0 text-faint transition-transform ${isOpen ? 'rotate-90' : 'rtl:-scale-x-100'}`} />
          <span className="min-w-0 truncate">{label}</span>
          {isWrong && !isOpen && <CircleAlert aria-label={panelText.wrong} className="size-3.5 shrink-0 text-bad" />}
        </summary>
        <div className="pt-3 pb-1">{children}</div>
      </details>
      {tools && <div className="absolute end-0 top-0 flex">{tools}</div>}
    </div>
  );
}
