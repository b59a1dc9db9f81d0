import { Bot, FileInput, Keyboard, KeyRound, Monitor, Moon, Plug, RectangleEllipsis, ShieldCheck, SquarePen, Sun, Workflow, type LucideIcon } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { InboxButton } from '../inbox/button.tsx';
import { useParley } from '../parley.ts';
import { SearchBox } from '../search/box.tsx';
import { IconButton, IconLink } from '../ui/button.tsx';
import { useShortcut } from '../ui/keys.ts';
import { canvas, hrefOf } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { useNow } from '../ui/time.ts';
import { themes, useView, type View } from '../ui/view.ts';
import { byPeriod } from './group.ts';
import { SessionRow } from './row.tsx';
import { useSidebar } from './shown.ts';

/** The sessions, the way to a new one, and how the page looks. */
export function Sidebar({ current }: { current: string | undefined }) {
  const { dialogs, search } = useParley();
  const { isShown, isOver, toggle } = useSidebar();
  const isSearching = useStore(search, state => state.state !== 'idle');
  const [isAsked, ask] = useState(false);
  const answered = useCallback(() => ask(false), []);
  useShortcut('sidebar', toggle);
  useShortcut('search', () => {
    if (!isShown) toggle();
    ask(true);
  });
  useShortcut('help', () => dialogs.showShortcuts());
  if (!isShown) return null;
  const leave = () => isOver && dialogs.close();
  return (
    <>
      {isOver && <Curtain onClose={leave} />}
      <nav
        aria-label={text.sessions.title}
        className="flex w-68 shrink-0 flex-col border-e border-line bg-panel max-md:fixed max-md:inset-y-0 max-md:start-0 max-md:z-20 max-md:w-[min(19rem,85vw)] max-md:shadow-pop"
      >
        <div className="flex h-12 shrink-0 items-center gap-2 ps-4 pe-2">
          <img src="/icon.svg" alt="" className="size-5" />
          <span className="me-auto font-semibold tracking-tight">{text.name}</span>
          <InboxButton />
          <IconButton icon={FileInput} label={text.sessions.import} onClick={() => dialogs.showImport()} />
          <IconLink icon={Workflow} label={text.workflows} href={canvas} onClick={leave} />
          <IconLink icon={SquarePen} label={text.newSession} href={hrefOf(undefined)} onClick={leave} />
        </div>
        <SearchBox isAsked={isAsked} onAsked={answered} onGo={leave} />
        {!isSearching && <Sessions current={current} onGo={leave} />}
        <Foot />
      </nav>
    </>
  );
}

/** What is behind a list that lies over the page. A click on it, or Escape, puts the list away. */
function Curtain({ onClose }: { onClose: () => void }) {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => event.key === 'Escape' && onClose();
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [onClose]);
  return <button type="button" tabIndex={-1} aria-label={text.close} onClick={onClose} className="fixed inset-0 z-10 bg-[oklch(0_0_0/0.4)]" />;
}

function Sessions({ current, onGo }: { current: string | undefined; onGo: () => void }) {
  const { list } = useParley();
  const sessions = useStore(list, state => state.sessions);
  const isLoaded = useStore(list, state => state.loaded);
  const now = useNow(60_000);
  const hasMore = useStore(list, state => state.next !== undefined);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      {isLoaded && sessions.length === 0 && <p className="px-2 pt-2 text-sm text-faint">{text.sessions.none}</p>}
      {byPeriod(sessions, new Date(now)).map(({ period, sessions: group }) => (
        <section key={period} aria-label={text.sessions[period]}>
          <h2 className="px-2 pt-4 pb-1 text-xs font-medium text-faint">{text.sessions[period]}</h2>
          <ul>
            {group.map(session => (
              <SessionRow key={session.id} session={session} isCurrent={session.id === current} onGo={onGo} />
            ))}
          </ul>
        </section>
      ))}
      {hasMore && (
        <button type="button" className="mt-2 w-full rounded-md py-1.5 text-sm text-soft hover:bg-hover" onClick={() => void list.more()}>
          {text.sessions.more}
        </button>
      )}
    </div>
  );
}

const themeIcons: Record<View['theme'], LucideIcon> = { system: Monitor, light: Sun, dark: Moon };

function Foot() {
  const { dialogs } = useParley();
  const [view, change] = useView();
  const next = themes[(themes.indexOf(view.theme) + 1) % themes.length]!;
  return (
    <div className="flex shrink-0 items-center gap-1 border-t border-line px-2 py-1.5">
      <IconButton icon={themeIcons[view.theme]} label={text.theme(view.theme)} onClick={() => change({ theme: next })} />
      <IconButton icon={Bot} label={text.harness.title} onClick={() => dialogs.showHarnesses()} className="ms-auto size-8" />
      <IconButton icon={Plug} label={text.servers} onClick={() => dialogs.showServers()} />
      <IconButton icon={ShieldCheck} label={text.permissions.title} onClick={() => dialogs.showPermissions()} />
      <IconButton icon={RectangleEllipsis} label={text.secrets} onClick={() => dialogs.showSecrets()} />
      <IconButton icon={KeyRound} label={text.vault.key.title} onClick={() => dialogs.showKey()} />
      <IconButton icon={Keyboard} label={text.keys.title} onClick={() => dialogs.showShortcuts()} />
    </div>
  );
}
