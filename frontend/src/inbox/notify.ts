import type { Host } from '../api/host.ts';
import { notifyPerson } from '../ui/notification.ts';
import { text } from '../ui/text.ts';
import type { ViewSettings } from '../ui/view.ts';
import type { Inbox } from './inbox.ts';

/**
 * Tells a person who wants that of what waits. A notification may be seen by others, and is kept by the desktop: it says how much
 * waits, and nothing of what.
 */
export function notifyOf(inbox: Inbox, host: Host, view: ViewSettings): void {
  inbox.onGrown(waiting => notifyPerson({ title: text.name, body: text.inbox.open(waiting.length), session: '' }, host, view));
}
