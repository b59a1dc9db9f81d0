import type { Client } from '../api/client.ts';
import type { Decision, Question } from '../api/types.gen.ts';
import type { Wire } from '../api/wire.ts';
import { Store } from '../ui/store.ts';
import type { LiveVault } from '../vault/vault.ts';

/** For how many milliseconds changes are gathered, to ask once for all of them. */
const gatherFor = 80;

interface State {
  /** Oldest first. */
  waiting: Question[];
  /** Why an answer could not be stored, by its question. */
  problems: Readonly<Record<string, string>>;
}

/** Everything that waits for a person, in all sessions, kept up to date by the server's notices. */
export class Inbox extends Store<State> {
  #isGathering = false;
  #grown = (_waiting: Question[]) => {};

  constructor(
    private readonly client: Client,
    wire: Wire,
    vault: LiveVault,
  ) {
    super({ waiting: [], problems: {} });
    wire.onNotice(() => this.#gather());
    vault.onOpen(() => void this.refresh());
  }

  /** Calls back with all that waits when something new does. */
  onGrown(listener: (waiting: Question[]) => void): void {
    this.#grown = listener;
  }

  async refresh(): Promise<void> {
    try {
      const approvals = (await this.client.approvals()).approvals.filter(({ kind }) => kind !== 'client_tool'); // whose program answers
      const known = new Set(this.value.waiting.map(({ id }) => id));
      this.set({ waiting: approvals });
      if (approvals.some(({ id }) => !known.has(id))) this.#grown(approvals);
    } catch {
      // The wire tells when it is worth asking again.
    }
  }

  /** Stores an answer. One that somebody else gave first stays theirs. */
  async answer(id: string, decision: Decision): Promise<void> {
    const { [id]: _, ...problems } = this.value.problems;
    this.set({ problems });
    try {
      await this.client.answer(id, decision);
    } catch (error) {
      this.set({ problems: { ...problems, [id]: (error as Error).message } });
    }
    await this.refresh();
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      void this.refresh();
    }, gatherFor);
  }
}
