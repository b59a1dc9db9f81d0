import type { ChatTransport } from 'ai';
import type { Client } from '../api/client.ts';
import type { SessionNotice } from '../api/types.gen.ts';
import type { Wire } from '../api/wire.ts';
import type { LiveVault } from '../vault/vault.ts';
import type { Message, Notice } from './message.ts';
import { OpenSession } from './session.ts';

const mostOpen = 12;

/**
 * The sessions that this page has open. Leaving one stops and loses nothing; of those that do nothing, the ones that were
 * not looked at for longest are closed when there are too many.
 */
export class OpenSessions {
  #open = new Map<string, OpenSession>();
  #uses = 0;
  #notify: (id: string, notice: Notice) => void = () => {};

  constructor(
    private readonly client: Client,
    private readonly transport: ChatTransport<Message>,
    private readonly wire: Wire,
    vault: LiveVault,
  ) {
    wire.onNotice(notice => this.#noticed(notice));
    vault.onOpen(() => this.#each(session => void session.sync()));
  }

  /** Gives a session, opening it if it is not. A new one is known to nobody else yet. */
  get(id: string, { isNew = false } = {}): OpenSession {
    let session = this.#open.get(id);
    if (!session) {
      session = new OpenSession(id, this.client, this.transport, () => this.wire.value.state === 'open', notice => this.#notify(id, notice), isNew);
      this.#open.set(id, session);
      if (!isNew) void session.sync();
    }
    session.lastUsed = ++this.#uses;
    this.#evict();
    return session;
  }

  /** Says who hears what agents want the person to be told on their desktop. */
  onNotice(listener: (id: string, notice: Notice) => void): void {
    this.#notify = listener;
  }

  /** Closes a session that was deleted. */
  close(id: string): void {
    this.#open.delete(id);
  }

  /** Stores every draft while there is still time. */
  async flushDrafts(): Promise<void> {
    await Promise.all([...this.#open.values()].map(session => session.draft.flush({ urgent: true })));
  }

  #noticed(notice: SessionNotice): void {
    this.#open.get(notice.sessionId)?.noticed(notice);
  }

  #each(visit: (session: OpenSession) => void): void {
    for (const session of this.#open.values()) visit(session);
  }

  #evict(): void {
    const idle = [...this.#open.values()].filter(session => !session.isBusy).toSorted((a, b) => a.lastUsed - b.lastUsed);
    for (const session of idle.slice(0, Math.max(0, this.#open.size - mostOpen))) {
      void session.draft.flush();
      this.#open.delete(session.id);
    }
  }
}

/** Mints the id of a session. It exists once something of it is stored. */
export function newSessionId(): string {
  return `sess_${[...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
