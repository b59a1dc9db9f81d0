/** Whether the page can notify a person at all: a window that is no browser may not. */
export const canNotify = () => typeof Notification !== 'undefined';

/** Asks the browser to let the page notify, if it has not been asked, and says whether it does. */
export async function mayNotify(): Promise<boolean> {
  return canNotify() && (await Notification.requestPermission()) === 'granted';
}

interface Notice {
  title: string;
  body: string;
  /** What it is about: of those that are about the same there is one. */
  tag?: string;
}

/** Tells a person something on their desktop, if they allow it and have another window in front. */
export function notifyPerson({ title, body, tag }: Notice, onOpen: () => void): void {
  if (!canNotify() || Notification.permission !== 'granted' || document.hasFocus()) return;
  const notice = new Notification(title, { body, tag, icon: '/icon.svg' });
  notice.addEventListener('click', () => {
    window.focus();
    onOpen();
    notice.close();
  });
}
