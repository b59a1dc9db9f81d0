import type { Client } from '../api/client.ts';
import type { Hit } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';

/** How long to wait for a next letter, in milliseconds. */
const pause = 80;
const pageSize = 40;

interface State {
  text: string;
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
    super({ text: '', hits: [], next: undefined, behind: 0, since: undefined, state: 'idle', error: '', marks: undefined });
  }

  /** Looks for another text as soon as the person pauses. What was asked before is not waited for any more. */
  type(text: string): void {
    this.#asking?.abort();
    if (!text.trim()) return this.set({ text, hits: [], next: undefined, behind: 0, since: undefined, state: 'idle', marks: undefined });
    this.set({ text, state: 'waiting', marks: undefined });
    const asking = (this.#asking = new AbortController());
    setTimeout(() => asking.signal.aborted || void this.#ask(asking.signal), pause);
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

  async #ask(signal: AbortSignal, after?: string): Promise<void> {
    try {
      const { hits, next, behind, since } = await this.client.search({ q: this.value.text, limit: pageSize, after }, signal);
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
