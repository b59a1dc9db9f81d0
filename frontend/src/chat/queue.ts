import type { Client } from '../api/client.ts';
import type { Queued as Stored } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import { partsOf, saidIn, type Message, type Said } from './message.ts';

/** A message that waits for the turns before it. */
export interface Queued extends Said {
  number: number;
  /** The agent is told it in the middle of its turn; once it has heard it does not wait any more. */
  given: boolean;
}

/** What was said while a turn ran. The server has it, and sends one after the other. */
export class Queue extends Store<{ waiting: Queued[] }> {
  #asked = 0;
  #adding: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly id: string,
    private readonly client: Client,
  ) {
    super({ waiting: [] });
  }

  /** Takes over what is stored. */
  take(stored: Stored[]): void {
    this.#asked++; // what was asked before is older
    this.set({ waiting: stored.map(({ number, given, message }) => ({ number, given, ...saidIn(message as Message) })) });
  }

  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const { queue } = await this.client.queue(this.id);
      if (asked === this.#asked) this.take(queue);
    } catch {
      // The wire tells when it is worth asking again.
    }
  }

  /** Adds a message after those before it, and gives its number; none if nothing ran, so that it went at once. */
  async add(said: Said): Promise<number | undefined> {
    const adding = this.#adding.then(() =>
      this.client.enqueue(this.id, { id: crypto.randomUUID(), role: 'user', parts: partsOf(said) }),
    );
    this.#adding = adding.catch(() => {}); // whoever asked for it hears why
    const reply = await adding;
    if (!('queued' in reply)) return undefined;
    await this.refresh();
    return reply.queued.number;
  }

  async change(number: number, text: string): Promise<void> {
    await this.#does(this.client.changeQueued(this.id, number, text));
  }

  async remove(number: number): Promise<void> {
    await this.#does(this.client.unqueue(this.id, number));
  }

  /** Tells this one to the agent in the middle of its turn, or stops that and sends it. */
  async sendNow(number: number): Promise<void> {
    await this.#does(this.client.sendNow(this.id, number));
  }

  /** What was done may concern a message that went meanwhile. */
  async #does(request: Promise<unknown>): Promise<void> {
    try {
      await request;
    } finally {
      await this.refresh();
    }
  }
}
