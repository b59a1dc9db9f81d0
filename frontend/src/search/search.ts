import type { Client } from '../api/client.ts';
import type { Hit, Role } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';

/** How long to wait for a next letter, in milliseconds. */
const pause = 80;
const pageSize = 40;

const day = 24 * 60 * 60 * 1_000;

/** What narrows a search. */
export interface Filter {
  role?: Role;
  /** How long ago at most. */
  days?: number;
  agent?: string;
}

interface State {
  text: string;
  filter: Filter;
  /** What was found for the text that was asked for last. The hits of a session stand together. */
  hits: Hit[];
  next: string | undefined;
  /** How much is not searched yet. */
  behind: number;
  /** What was said before this was left out, in milliseconds; undefined: nothing was. */
  since: number | undefined;
  /** waiting: nothing is known of this text yet. */
  state: 'idle' | 'waiting' | 'done' | 'failed';
  error: string;
  /** What is marked in a session that was opened from here. */
  marks: Marks | undefined;
}

export interface Marks {
  session: string;
  words: string[];
}

/** What the person looks for in all sessions, and what was found. */
export class Search extends Store<State> {
  #asking: AbortController | undefined;

  constructor(private readonly client: Client) {
    super({ text: '', filter: {}, hits: [], next: undefined, behind: 0, since: undefined, state: 'idle', error: '', marks: undefined });
  }

  /** Looks for another text as soon as the person pauses. Without one there is nothing to narrow either. */
  type(text: string): void {
    this.set({ text });
    if (text.trim()) return this.#look(pause);
    this.#asking?.abort();
    this.set({ filter: {}, hits: [], next: undefined, behind: 0, since: undefined, state: 'idle', marks: undefined });
  }

  narrow(filter: Filter): void {
    this.set({ filter: { ...this.value.filter, ...filter } });
    this.#look(0);
  }

  /** Loads the hits that follow. */
  more(): void {
    if (this.value.next && this.value.state === 'done') void this.#ask(this.#asking!.signal, this.value.next);
  }

  /** Marks in its session what was found there. */
  mark(session: string): void {
    const found = this.value.hits.filter(hit => hit.sessionId === session).flatMap(hit => hit.excerpt);
    this.set({ marks: { session, words: [...new Set(found.filter(piece => piece.hit).map(piece => piece.text))] } });
  }

  unmark(): void {
    if (this.value.marks) this.set({ marks: undefined });
  }

  /** Asks in so many milliseconds. What was asked before is not waited for any more. */
  #look(wait: number): void {
    this.#asking?.abort();
    this.set({ state: 'waiting', marks: undefined });
    const { signal } = (this.#asking = new AbortController());
    setTimeout(() => signal.aborted || void this.#ask(signal), wait);
  }

  async #ask(signal: AbortSignal, after?: string): Promise<void> {
    const { text, filter: { days, ...same } } = this.value;
    try {
      const what = { q: text, ...same, since: days && Date.now() - days * day, limit: pageSize, after };
      const { hits, next, behind, since } = await this.client.search(what, signal);
      if (signal.aborted) return;
      this.set({ hits: bySession(after ? [...this.value.hits, ...hits] : hits).flat(), next, behind, since, state: 'done' });
    } catch (error) {
      if (!signal.aborted) this.set({ state: 'failed', hits: [], next: undefined, error: (error as Error).message });
    }
  }
}

/** The hits of each session, in the order of the first of them. */
export function bySession(hits: Hit[]): Hit[][] {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) groups.set(hit.sessionId, [...(groups.get(hit.sessionId) ?? []), hit]);
  return [...groups.values()];
}
