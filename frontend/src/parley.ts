import { createContext, useContext } from 'react';
import { Agents } from './agents/agents.ts';
import { Client } from './api/client.ts';
import { Door, findHost, type Host } from './api/host.ts';
import { chatTransport } from './api/transport.ts';
import { Wire } from './api/wire.ts';
import { OpenSessions } from './chat/sessions.ts';
import { Harnesses } from './harnesses/harnesses.ts';
import { Inbox } from './inbox/inbox.ts';
import { notifyOf } from './inbox/notify.ts';
import { Search } from './search/search.ts';
import { SessionList } from './sessions/list.ts';
import { Dialogs } from './ui/dialogs.ts';
import { Keys } from './ui/keys.ts';
import { notifyPerson } from './ui/notification.ts';
import { goTo } from './ui/route.ts';
import { Toasts } from './ui/toasts.ts';
import { ViewSettings } from './ui/view.ts';
import { reportPresence } from './vault/presence.ts';
import { LiveVault } from './vault/vault.ts';
import type { Workflows } from './workflow/workflows.ts';

/** Everything that the page is made of, put together once. */
export interface Parley {
  host: Host;
  client: Client;
  wire: Wire;
  vault: LiveVault;
  agents: Agents;
  harnesses: Harnesses;
  list: SessionList;
  inbox: Inbox;
  search: Search;
  open: OpenSessions;
  /** Loaded when it is asked for first, and there from then on. */
  workflows: () => Promise<Workflows>;
  view: ViewSettings;
  dialogs: Dialogs;
  toasts: Toasts;
  keys: Keys;
}

/** Puts the page together and connects it. */
export function startParley(): Parley {
  const host = findHost();
  const door = new Door(host);
  const client = new Client(door);
  const wire = new Wire(door, client);
  const vault = new LiveVault(client, wire);
  const agents = new Agents(client, wire, vault);
  const toasts = new Toasts();
  let workflows: Promise<Workflows> | undefined;
  const parley: Parley = {
    host,
    client,
    wire,
    vault,
    agents,
    harnesses: new Harnesses(client, agents),
    list: new SessionList(client, wire, vault),
    inbox: new Inbox(client, wire, vault),
    search: new Search(client),
    open: new OpenSessions(client, chatTransport(wire), wire, vault),
    workflows: () => (workflows ??= import('./workflow/workflows.ts').then(({ Workflows }) => new Workflows(client, wire, vault, message => toasts.show(message)))),
    view: new ViewSettings(),
    dialogs: new Dialogs(),
    toasts,
    keys: new Keys(window),
  };
  // What is typed must survive that the page is closed, reloaded, or put away for good.
  const flush = () => Promise.all([parley.open.flushDrafts(), workflows?.then(all => all.flush())]);
  host.onClose(flush);
  for (const event of ['pagehide', 'blur']) window.addEventListener(event, () => void flush());
  for (const event of ['online', 'focus']) window.addEventListener(event, () => wire.hurry());
  document.addEventListener('visibilitychange', () => void (document.hidden ? flush() : wire.hurry()));
  reportPresence(vault, window);
  notifyOf(parley.inbox, host, parley.view);
  parley.open.onNotice((session, notice) => notifyPerson({ ...notice, session }, host, parley.view));
  host.onNoticeOpened(session => (session ? goTo(session) : parley.dialogs.showInbox()));
  vault.onLock(() => void host.dropSecret().then(() => location.reload())); // nothing of a locked history stays, in the page or on the clipboard
  void vault.look(); // the first thing to be seen depends on it, so it does not wait for the wire
  void wire.run();
  return parley;
}

export const ParleyContext = createContext<Parley | undefined>(undefined);

export function useParley(): Parley {
  const parley = useContext(ParleyContext);
  if (!parley) throw new Error('there is no Parley around this component');
  return parley;
}
