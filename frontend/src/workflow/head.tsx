import { PanelLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { InboxButton } from '../inbox/button.tsx';
import { useSidebar } from '../sessions/shown.ts';
import { IconButton } from '../ui/button.tsx';
import { text } from '../ui/text.ts';

/** The top of a page of the canvas. */
export function Head({ children }: { children: ReactNode }) {
  const sidebar = useSidebar();
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2.5">
      <IconButton icon={PanelLeft} label={text.keys.sidebar} aria-expanded={sidebar.isShown} onClick={sidebar.toggle} />
      {!sidebar.isShown && <InboxButton />}
      {children}
    </header>
  );
}
