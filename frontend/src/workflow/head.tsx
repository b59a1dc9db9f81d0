import { PanelLeft } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { InboxButton } from '../inbox/button.tsx';
import { useSidebar } from '../sessions/shown.ts';
import { IconButton } from '../ui/button.tsx';
import { text } from '../ui/text.ts';

/** The top of a page of the canvas. */
export function Head({ children }: { children: ReactNode }) {
  const sidebar = useSidebar();
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b max-sm:gap-0.5 border-line px-2.5">
      <IconButton icon={PanelLeft} label={text.keys.sidebar} aria-expanded={sidebar.isShown} onClick={sidebar.toggle} />
      {!sidebar.isShown && <InboxButton />}
      {children}
    </header>
  );
}

/** What the page is about. It has the focus if nothing else has, as after a click on a link that went away with its page. */
export function Title({ says, children }: { says?: string; children: string }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) title.current!.focus();
  }, []);
  return (
    <h1 ref={title} tabIndex={-1} dir="auto" title={says} className="min-w-0 truncate px-1.5 text-sm font-semibold outline-none">
      {children}
    </h1>
  );
}
