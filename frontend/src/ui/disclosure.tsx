import { ChevronRight } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';

interface DisclosureProps {
  icon: ReactNode;
  label: ReactNode;
  /** What is said at the other end of the line. */
  meta?: ReactNode;
  /** What is said under the line, open or not. */
  note?: ReactNode;
  initially?: boolean;
  className?: string;
  children: ReactNode;
}

/** One line that opens. What is inside is made when it is opened. */
export function Disclosure({ icon, label, meta, note, initially = false, className = '', children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(initially);
  const id = useId();
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="group/fold flex w-full min-w-0 items-center gap-2 rounded-md py-1 text-start text-sm text-soft hover:text-ink"
      >
        {icon}
        <span className="min-w-0 truncate">{label}</span>
        <ChevronRight
          aria-hidden
          className={`size-3.5 shrink-0 text-faint transition-transform rtl:-scale-x-100 ${isOpen ? 'rotate-90' : ''}`}
        />
        {meta !== undefined && <span className="ms-auto shrink-0 ps-2 text-xs text-faint tabular-nums">{meta}</span>}
      </button>
      {note && <div className="ps-6 pb-1 text-sm break-words text-soft">{note}</div>}
      {isOpen && (
        <div id={id} className="pt-1 pb-2">
          {children}
        </div>
      )}
    </div>
  );
}
