import type { ViewSettings } from '../ui/view.ts';
import { text } from '../ui/text.ts';
import type { Inbox } from './inbox.ts';

/** Whether the page can notify a person at all: a window that is no browser may not. */
export const canNotify = () => typeof Notification !== 'undefined';

/** Asks the browser to let the page notify, if it has not been asked, and says whether it does. */
export async function mayNotify(): Promise<boolean> {
  return canNotify() && (await Notification.requestPermission()) === 'granted';
}

/**
 * Notifies a person who wants that and has another window in front. A notification may be seen by others, and is kept by the
 * desktop: it says how much waits, and nothing of what.
 */
export function notifyOf(inbox: Inbox, view: ViewSettings, show: () => void): void {
  inbox.onGrown(waiting => {
    if (!view.value.notify || document.hasFocus() || !canNotify() || Notification.permission !== 'granted') return;
    const notice = new Notification(text.name, { body: text.inbox.notice(waiting.length), tag: 'parley-inbox', icon: '/icon.svg' });
    notice.addEventListener('click', () => {
      window.focus();
      show();
      notice.close();
    });
  });
}
