import { Store } from './store.ts';

/** sessions: the list of sessions, where the screen is too narrow to have it beside the session. */
export type OpenDialog = { kind: 'link'; url: string } | { kind: 'shortcuts' } | { kind: 'sessions' };

/** What lies over the page, if anything does. */
export class Dialogs extends Store<{ dialog: OpenDialog | undefined }> {
  constructor() {
    super({ dialog: undefined });
  }

  confirmLink(url: string): void {
    this.set({ dialog: { kind: 'link', url } });
  }

  showShortcuts(): void {
    this.set({ dialog: { kind: 'shortcuts' } });
  }

  showSessions(): void {
    this.set({ dialog: { kind: 'sessions' } });
  }

  close(): void {
    this.set({ dialog: undefined });
  }
}
