import type { Chat } from '@ai-sdk/react';
import type { Client } from '../api/client.ts';
import type { LoadedSession } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import type { Message } from './message.ts';

export const pageSize = 60;

interface State {
  /** What to ask for to get the messages before those that are here. */
  earlier: string | undefined;
  loadingEarlier: boolean;
  /** A stretch of the conversation that does not reach its end, shown instead of it. */
  past: Past | undefined;
  /** Changes when another part of the conversation is shown than what follows on the one before. */
  place: number;
  /** The message that the reader is to be taken to. */
  goal: string | undefined;
  /** For an answer that has siblings, those and itself, in order. */
  branches: Readonly<Record<string, string[]>>;
}

/** Some messages far from the end, and what to ask for to get those around them. */
interface Past {
  messages: Message[];
  earlier: string | undefined;
  later: string | undefined;
}

/** Where a reader was when the session was left. */
export interface Reading {
  follows: boolean;
  offset: number;
  sizes: unknown[];
}

/** What of a conversation is here: its end, which the chat holds, or a stretch of its past. */
export class Pages extends Store<State> {
  reading: Reading | undefined;
  #loadingLater = false;

  constructor(
    private readonly id: string,
    private readonly client: Client,
    private readonly chat: Chat<Message>,
  ) {
    super({ earlier: undefined, loadingEarlier: false, past: undefined, place: 0, goal: undefined, branches: {} });
  }

  /** The messages that are shown. */
  get shown(): Message[] {
    return this.value.past?.messages ?? this.chat.messages;
  }

  /** Takes over the end of the conversation as it is stored. What is here of the time before it stays. */
  take(page: LoadedSession): void {
    const local = this.chat.messages;
    const stored = this.#read(page);
    const at = local.findIndex(({ id }) => id === stored[0]?.id);
    this.chat.messages = at > 0 ? [...local.slice(0, at), ...stored] : stored;
    if (at < 0) this.set({ earlier: page.earlier });
  }

  /** Takes the reader to a message: what is around it is loaded if it is not here, and nothing in between. */
  async show(message: string): Promise<void> {
    if (!this.shown.some(({ id }) => id === message)) {
      try {
        const page = await this.client.load(this.id, { around: message, limit: pageSize });
        this.reading = { follows: false, offset: 0, sizes: [] };
        this.set({ place: this.value.place + 1 });
        this.#extendPast({ messages: this.#read(page), earlier: page.earlier, later: page.later });
      } catch {
        return; // the session is open, at its end
      }
    }
    this.set({ goal: message });
  }

  /** The reader was taken where they wanted to be. */
  reached(): void {
    this.set({ goal: undefined });
  }

  /** Shows the end of the conversation. */
  toEnd(): void {
    if (!this.value.past) return;
    this.reading = undefined;
    this.set({ past: undefined, goal: undefined, place: this.value.place + 1 });
  }

  /** Remembers the end of the conversation, and gives what restores it. */
  mark(): () => void {
    const { messages } = this.chat;
    const { earlier } = this.value;
    return () => {
      this.chat.messages = messages;
      this.set({ earlier });
    };
  }

  /** Makes what is shown the end of the conversation: what comes after it is about to be another. */
  endHere(): void {
    const { past } = this.value;
    if (!past) return;
    this.chat.messages = past.messages;
    this.set({ past: undefined, earlier: past.earlier });
  }

  async loadLater(): Promise<void> {
    const { past } = this.value;
    if (!past?.later || this.#loadingLater) return;
    this.#loadingLater = true;
    try {
      const page = await this.client.load(this.id, { after: past.later, limit: pageSize });
      if (this.value.past?.later !== past.later) return;
      this.#extendPast({ ...this.value.past, messages: [...this.value.past.messages, ...this.#read(page)], later: page.later });
    } catch {
      // The next time that the reader comes to the end it is tried again.
    } finally {
      this.#loadingLater = false;
    }
  }

  async loadEarlier(): Promise<void> {
    const { past, loadingEarlier } = this.value;
    const before = past ? past.earlier : this.value.earlier;
    if (!before || loadingEarlier) return;
    this.set({ loadingEarlier: true });
    try {
      const page = await this.client.load(this.id, { before, limit: pageSize });
      const now = this.value.past;
      if (now && now.earlier === before) this.set({ past: { ...now, messages: [...this.#read(page), ...now.messages], earlier: page.earlier } });
      if (now || this.value.earlier !== before) return;
      this.chat.messages = [...this.#read(page), ...this.chat.messages];
      this.set({ earlier: page.earlier });
    } catch {
      // The next time that the reader comes to the top it is tried again.
    } finally {
      this.set({ loadingEarlier: false });
    }
  }

  /** Looks up the siblings of the last answer. */
  async renewBranches(): Promise<void> {
    try {
      this.#read(await this.client.load(this.id, { limit: 2 }));
    } catch {
      // The next page that is loaded tells.
    }
  }

  /** Where a stretch meets the end of the conversation, both are one again. */
  #extendPast(past: Past): void {
    const end = this.chat.messages;
    const meets = past.messages.findIndex(({ id }) => id === end[0]?.id);
    if (meets < 0 && past.later) return this.set({ past });
    this.chat.messages = meets < 0 ? past.messages : [...past.messages.slice(0, meets), ...end];
    this.set({ past: undefined, earlier: past.earlier });
  }

  #read({ messages, branches }: LoadedSession): Message[] {
    this.set({ branches: { ...this.value.branches, ...branches } });
    return messages as Message[];
  }
}
