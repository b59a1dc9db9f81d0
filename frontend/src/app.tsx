import { lazy, Suspense, useEffect, useState } from 'react';
import { ChatView } from './chat/chat.tsx';
import { newSessionId } from './chat/sessions.ts';
import { useParley } from './parley.ts';
import { Sidebar } from './sessions/sidebar.tsx';
import { ErrorBoundary } from './ui/boundary.tsx';
import { Button } from './ui/button.tsx';
import { Connection, Locked } from './ui/connection.tsx';
import { useShortcut } from './ui/keys.ts';
import { later } from './ui/later.tsx';
import { PictureDialog } from './parts/picture.tsx';
import { canvas, goTo, settleOn, useHash, useRoute } from './ui/route.ts';
import { useStore } from './ui/store.ts';
import { text } from './ui/text.ts';
import { ToastView } from './ui/toast.tsx';
import { VaultNotices } from './vault/notices.tsx';
import { Waiting } from './vault/waiting.tsx';

const AgentsDialog = later('agents', () => import('./agents/list.tsx'));
const ExportDialog = later('export', () => import('./sessions/export.tsx'));
const HarnessDialog = later('harnesses', () => import('./harnesses/dialog.tsx'));
const ImportDialog = later('import', () => import('./sessions/import.tsx'));
const InboxDialog = later('inbox', () => import('./inbox/dialog.tsx'));
const KeyDialog = later('key', () => import('./vault/key.tsx'));
const LinkDialog = later('link', () => import('./ui/link.tsx'));
const PermissionsDialog = later('permissions', () => import('./permissions/dialog.tsx'));
const SecretsDialog = later('secrets', () => import('./secrets/dialog.tsx'));
const ServersDialog = later('servers', () => import('./servers/dialog.tsx'));
const CanvasPage = lazy(() => import('./workflow/page.tsx'));
const ShortcutsDialog = later('shortcuts', () => import('./ui/shortcuts.tsx'));
const VaultScreen = lazy(() => import('./vault/screen.tsx'));

export function App() {
  const { open, wire, list, host } = useParley();
  const isLocked = useStore(wire, state => state.state === 'locked');
  const hasList = useStore(list, state => state.loaded);
  useEffect(() => {
    // Two frames: in the second one the first has been seen.
    requestAnimationFrame(() => requestAnimationFrame(() => host.painted()));
  }, [host]);
  return (
    <ErrorBoundary onBroken={() => open.flushDrafts()} fallback={Broken}>
      {isLocked && !hasList ? <Locked /> : <Content />}
    </ErrorBoundary>
  );
}

/** The sessions, if they can be read. */
function Content() {
  const { vault } = useParley();
  const now = useStore(vault, state => state.vault);
  if (!now) return <Waiting />;
  if (now.state === 'ready') return <Page />;
  return (
    <Suspense fallback={<Waiting />}>
      <VaultScreen vault={now} />
    </Suspense>
  );
}

function Page() {
  const { open, list, dialogs } = useParley();
  const session = useShownSession();
  const routed = useRoute();
  const isCanvas = useIsCanvas();
  const shown = isCanvas ? undefined : session.id;
  useEffect(() => list.look(shown), [list, shown]);
  useShortcut('new', () => goTo(undefined));
  useShortcut('key', () => dialogs.showKey());
  useShortcut('agents', () => dialogs.showHarnesses());
  useShortcut('yours', () => dialogs.showAgents());
  useShortcut('inbox', () => dialogs.showInbox());
  useShortcut('permissions', () => dialogs.showPermissions());
  useShortcut('servers', () => dialogs.showServers());
  useShortcut('secrets', () => dialogs.showSecrets());
  useShortcut('workflows', () => void (location.hash = canvas));
  useShortcut('export', () => routed && dialogs.showExport(routed));
  return (
    <div className="flex h-dvh">
      <Sidebar current={shown} />
      <main className="relative flex min-w-0 flex-1 flex-col">
        <Connection />
        <VaultNotices />
        <ErrorBoundary key={shown} onBroken={() => open.flushDrafts()} fallback={Broken}>
          {isCanvas ? (
            <Suspense>
              <CanvasPage />
            </Suspense>
          ) : (
            <ChatView key={session.id} session={session} />
          )}
        </ErrorBoundary>
        <ToastView />
      </main>
      <KeyDialog />
      <AgentsDialog />
      <ExportDialog />
      <HarnessDialog />
      <ImportDialog />
      <InboxDialog />
      <PermissionsDialog />
      <SecretsDialog />
      <ServersDialog />
      <PictureDialog />
      <LinkDialog />
      <ShortcutsDialog />
    </div>
  );
}

/** The session that the address names, or a new one. A new one comes into the address when something of it is stored, or said. */
function useShownSession() {
  const { open, list } = useParley();
  const routed = useRoute();
  const [minted, mint] = useState(newSessionId);
  const isCanvas = useIsCanvas();
  const isStored = useStore(list, state => state.sessions.some(({ id }) => id === minted));
  if (routed === minted) mint(newSessionId());
  useEffect(() => {
    if (isStored && !routed && !isCanvas) settleOn(minted);
  }, [isStored, routed, isCanvas, minted]);
  const id = routed ?? minted;
  return open.get(id, { isNew: id === minted });
}

const useIsCanvas = () => useHash().startsWith(canvas);

function Broken() {
  return (
    <div role="alert" className="grid h-full flex-1 place-content-center justify-items-center gap-4 p-6 text-center">
      <h1 className="text-lg font-semibold">{text.broken.title}</h1>
      <p className="max-w-sm text-soft">{text.broken.says}</p>
      <Button look="strong" onClick={() => location.reload()}>
        {text.broken.reload}
      </Button>
    </div>
  );
}
