import type { Pictured } from '../parts/picture.tsx';
import { Store } from './store.ts';

/** What a person may be about to change about the key of the history. */
export type KeyStep = 'ways' | 'code' | 'passphrase' | 'rotate' | 'erase';

/** What there is of secrets: those with names, and the keys of providers. */
export type SecretTab = 'secrets' | 'keys';

/**
 * sessions: the list of sessions, where the screen is too narrow to have it beside the session;
 * key: what opens the history; harnesses: the programs that agents run in; files: those that the agent reaches;
 * export: a session that becomes a file; import: a file that becomes a session;
 * agents: all that there are, to be made and edited; servers: those of MCP; secrets: those of the person; inbox: what waits for the person; permissions: what they
 * have allowed for longer than once; picture: one that is looked at closely.
 */
export type OpenDialog = { kind: 'link'; url: string } | { kind: 'shortcuts' } | { kind: 'sessions' } | { kind: 'key'; step: KeyStep } | { kind: 'harnesses' } | { kind: 'agents' } | { kind: 'export'; session: string } | { kind: 'import' } | { kind: 'files' } | { kind: 'inbox' } | { kind: 'permissions' } | { kind: 'servers' } | { kind: 'secrets'; tab: SecretTab } | { kind: 'picture'; name: string; file: Pictured };

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

  showKey(step: KeyStep = 'ways'): void {
    this.set({ dialog: { kind: 'key', step } });
  }

  showHarnesses(): void {
    this.set({ dialog: { kind: 'harnesses' } });
  }

  showAgents(): void {
    this.set({ dialog: { kind: 'agents' } });
  }

  showInbox(): void {
    this.set({ dialog: { kind: 'inbox' } });
  }

  showPermissions(): void {
    this.set({ dialog: { kind: 'permissions' } });
  }

  showServers(): void {
    this.set({ dialog: { kind: 'servers' } });
  }

  showSecrets(tab: SecretTab = 'secrets'): void {
    this.set({ dialog: { kind: 'secrets', tab } });
  }

  showExport(session: string): void {
    this.set({ dialog: { kind: 'export', session } });
  }

  showImport(): void {
    this.set({ dialog: { kind: 'import' } });
  }

  showFiles(): void {
    this.set({ dialog: { kind: 'files' } });
  }

  showPicture(name: string, file: Pictured): void {
    this.set({ dialog: { kind: 'picture', name, file } });
  }

  close(): void {
    this.set({ dialog: undefined });
  }
}
