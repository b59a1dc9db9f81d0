import type { Client } from '../api/client.ts';
import type { Session, SessionNotice } from '../api/types.gen.ts';
import type { Wire } from '../api/wire.ts';
import { Store } from '../ui/store.ts';
import type { LiveVault } from '../vault/vault.ts';

const pageSize = 50;
const mostAtOnce = 500;
const gatherFor = 80;

interface State {
  sessions: Session[]; // newest first
  next: string | undefined;
  loaded: boolean;
  /** The folder that a new session is about, if there is one. */
  workingDir: string;
  /** Answered since they were last looked at. */
  unread: ReadonlySet<string>;
  /** Of which the last turn failed, as far as this page saw it. */
  failed: ReadonlySet<string>;
}

/** The sessions there are, kept up to date by the server's notices. */
export class SessionList extends Store<State> {
  #removed = new Set<string>(); // of which the server has not heard yet
  #isGathering = false; // changes, to ask once for all of them
  #current: string | undefined;

  constructor(
    private readonly client: Client,
    wire: Wire,
    vault: LiveVault,
  ) {
    super({ sessions: [], next: undefined, loaded: false, workingDir: '', unread: new Set(), failed: new Set() });
    wire.onNotice(notice => this.#noticed(notice));
    vault.onOpen(() => void this.#refresh());
  }

  get(id: string): Session | undefined {
    return this.value.sessions.find(session => session.id === id);
  }

  /** Says which session the person looks at. */
  look(id: string | undefined): void {
    this.#current = id;
    if (id && this.value.unread.has(id)) this.set({ unread: without(this.value.unread, id) });
  }

  /** Loads the page that follows. */
  async more(): Promise<void> {
    const { next } = this.value;
    if (!next) return;
    const page = await this.client.sessions({ after: next, limit: pageSize });
    this.set({ sessions: [...this.value.sessions, ...page.sessions], next: page.next });
  }

  async rename(id: string, title: string): Promise<void> {
    await this.client.change(id, { title });
    await this.#refresh();
  }

  /** Takes a session off the list at once, and from the server as soon as it answers. */
  async remove(id: string): Promise<void> {
    this.#removed.add(id);
    this.set({ sessions: this.value.sessions.filter(session => session.id !== id) });
    try {
      await this.client.remove(id);
    } finally {
      this.#removed.delete(id);
      await this.#refresh();
    }
  }

  async restore(id: string): Promise<void> {
    await this.client.restore(id);
    await this.#refresh();
  }

  /** Loads as much of the list as there was, at least its first page. */
  async #refresh(): Promise<void> {
    const limit = Math.min(Math.max(pageSize, this.value.sessions.length), mostAtOnce);
    try {
      const { sessions, next, workingDir } = await this.client.sessions({ limit });
      this.set({ sessions: sessions.filter(session => !this.#removed.has(session.id)), next, loaded: true, workingDir });
    } catch {
      // The wire tells when it is worth asking again.
    }
  }

  #noticed({ sessionId: id, event }: SessionNotice): void {
    if (event?.type === 'session:turn_completed') {
      const { unread, failed } = this.value;
      this.set({
        unread: id === this.#current ? unread : new Set(unread).add(id),
        failed: event.error ? new Set(failed).add(id) : without(failed, id),
      });
    }
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      void this.#refresh();
    }, gatherFor);
  }
}

function without<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const rest = new Set(set);
  rest.delete(value);
  return rest;
}
