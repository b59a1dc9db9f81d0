/** Tells a person something on their desktop, if they allow it and have another window in front. */
export function notifyPerson({ title, body }: { title: string; body: string }): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted' || document.hasFocus()) return;
  const notice = new Notification(title, { body, icon: '/icon.svg' });
  notice.addEventListener('click', () => {
    window.focus();
    notice.close();
  });
}
