import type { Host } from '../api/host.ts';
import type { ViewSettings } from './view.ts';

/** What a person is told on their desktop. */
export interface Notice {
  title: string;
  body: string;
  /** Whose it is. None: it is about all that waits, and of those there is one. */
  session: string;
}

/** Tells a person something on their desktop, if they want that and have another window in front. */
export function notifyPerson(notice: Notice, host: Host, view: ViewSettings): void {
  if (view.value.notify && !document.hasFocus()) host.notify?.(notice);
}
