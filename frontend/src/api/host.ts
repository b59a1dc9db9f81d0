import { SecretClipboard } from '../ui/clipboard.ts';
import type { Notice } from '../ui/notification.ts';

/** What opens the door, and where it is. */
export interface Connection {
  url: string;
  token: string;
}

/** What the page stands in: the window of the program, or a browser. */
export interface Host {
  /** Where the door is now. Undefined if nobody gave this page a key. */
  connection(): Promise<Connection | undefined>;
  /** Says that a person can see the page. */
  painted(): void;
  /** Calls back when the window is about to close, which it does after that. A browser waits for nobody. */
  onClose(leave: () => Promise<unknown>): void;
  /** Opens an address outside of the page. */
  openLink(url: string): void;
  /** Puts a text on the clipboard. */
  copy(text: string): Promise<unknown>;
  /** Puts a secret on the clipboard for a minute, and says whether it will be taken off again. */
  copySecret(secret: string): Promise<boolean>;
  /** Takes that secret off at once, if it is still there. It takes a moment at most. */
  dropSecret(): Promise<void>;
  /** Saves a text as a file of this name, or where the person chooses. Gives its path, as far as that is known: none if they do not want it. */
  save(name: string, text: string): Promise<string | undefined>;
  /** Asks to show notices on the desktop, and says whether it may. */
  mayNotify(): Promise<boolean>;
  /** Shows a notice, where it may, and this host can. */
  notify?(notice: Notice): void;
  /** Calls back when a person clicked on a notice, with its session. The page is in front then. */
  onNoticeOpened(opened: (session: string) => void): void;
}

/** What the program lets the page in its window call. */
interface Program {
  Connection(): Promise<Connection>;
  Painted(): Promise<void>;
  Left(): Promise<void>;
  MayNotify(): Promise<boolean>;
  Notify(notice: Notice): Promise<void>;
  Save(name: string, text: string): Promise<string>;
}

declare global {
  interface Window {
    go?: { app: { Window: Program } };
    runtime?: {
      BrowserOpenURL(url: string): void;
      ClipboardGetText(): Promise<string>;
      ClipboardSetText(text: string): Promise<boolean>;
      EventsOn(event: 'close', heard: () => void): void;
      EventsOn(event: 'opened', heard: (session: string) => void): void;
    };
  }
}

export function findHost(): Host {
  return window.go ? windowHost(window.go.app.Window) : browserHost();
}

/** The window asks its program each time: it answers for whichever process has the door by then. */
function windowHost(program: Program): Host {
  const { runtime } = window;
  const clipboard = new SecretClipboard({ read: async () => runtime!.ClipboardGetText(), write: async text => runtime!.ClipboardSetText(text) });
  return {
    connection: () => program.Connection(),
    painted: () => void program.Painted(),
    onClose: leave => runtime?.EventsOn('close', () => void Promise.allSettled([leave(), clipboard.drop()]).then(() => program.Left())),
    openLink: url => runtime?.BrowserOpenURL(url),
    copy: async text => runtime?.ClipboardSetText(text),
    copySecret: secret => clipboard.copy(secret),
    dropSecret: () => clipboard.drop(),
    save: async (name, text) => {
      const path = await program.Save(name, text).catch((why: string) => Promise.reject(new Error(why)));
      return path || undefined;
    },
    mayNotify: () => program.MayNotify(),
    notify: notice => void program.Notify(notice).catch(() => {}), // what the desktop cannot show waits in the page
    onNoticeOpened: opened => runtime?.EventsOn('opened', opened),
  };
}

const tokenKey = 'parley.token';

/** In a browser the key comes in the fragment of the link, once. It leaves the address bar, and lives as long as the tab. */
function browserHost(): Host {
  const canNotify = typeof Notification !== 'undefined';
  const clipboard = new SecretClipboard({ read: async () => (await inFront(), navigator.clipboard.readText()), write: async text => navigator.clipboard.writeText(text) });
  let noticeOpened: ((session: string) => void) | undefined;
  takeToken();
  // The link of a newer Parley, opened in this tab, changes nothing but the fragment.
  window.addEventListener('hashchange', () => takeToken() && location.reload());
  return {
    connection: async () => {
      const token = sessionStorage.getItem(tokenKey);
      return token ? { url: location.origin, token } : undefined;
    },
    painted: () => {},
    onClose: () => {},
    openLink: url => void window.open(url, '_blank', 'noopener,noreferrer'),
    copy: text => navigator.clipboard.writeText(text),
    copySecret: secret => clipboard.copy(secret),
    dropSecret: () => clipboard.drop(),
    save: async (name, text) => download(name, text),
    mayNotify: async () => canNotify && (await Notification.requestPermission()) === 'granted',
    notify: canNotify ? notice => showNotice(notice, () => noticeOpened?.(notice.session)) : undefined,
    onNoticeOpened: opened => (noticeOpened = opened),
  };
}

/** Waits until the tab is the one that a person works in. No other may look at the clipboard. */
async function inFront(): Promise<void> {
  if (!document.hasFocus()) await new Promise(focused => window.addEventListener('focus', focused, { once: true }));
}

function showNotice({ title, body, session }: Notice, onOpen: () => void): void {
  if (Notification.permission !== 'granted') return;
  const notice = new Notification(title, { body, tag: session ? undefined : 'inbox', icon: '/icon.svg' });
  notice.addEventListener('click', () => {
    window.focus();
    onOpen();
    notice.close();
  });
}

function download(name: string, text: string): string {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
  return name;
}

function takeToken(): boolean {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return false;
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(null, '', location.pathname);
  return true;
}

/** The connection that all of the page shares until somebody finds it lost. */
export class Door {
  #connection: Promise<Connection | undefined> | undefined;

  constructor(readonly host: Host) {}

  connection(): Promise<Connection | undefined> {
    return (this.#connection ??= this.host.connection());
  }

  lost(): void {
    this.#connection = undefined;
  }
}
