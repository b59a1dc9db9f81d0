import { Chat } from '@ai-sdk/react';
import type { ChatTransport } from 'ai';
import { ApiError, type Client } from '../api/client.ts';
import { isCut } from '../api/transport.ts';
import type { LoadedSession, SessionNotice } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Draft } from './draft.ts';
import { isOver, type Message } from './message.ts';

const pageSize = 60;
const recoverAfter = 300;
const overtaken = 50;
export const moreTurns = 50;

interface State {
  load: 'loading' | 'ready' | 'missing' | 'failed';
  /** What to ask for to get the messages before those that are here. */
  earlier: string | undefined;
  loadingEarlier: boolean;
  /** It is being brought in step with the server: an answer without an end may go on in a moment. */
  syncing: boolean;
  /** A stretch of the conversation that does not reach its end, shown instead of it. */
  past: Past | undefined;
  /** Changes when another part of the conversation is shown than what follows on the one before. */
  place: number;
  /** The message that the reader is to be taken to. */
  goal: string | undefined;
  /** The person asked for a stop, and the turn has not ended yet. */
  stopping: boolean;
  /** The connection was lost in the middle of an answer, which is to be resumed. */
  cut: boolean;
  /** What the agent says it is busy with. */
  activity: string | undefined;
  /** Why what was asked last did not begin. */
  refusal: string | undefined;
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

/** A session that this page has open: its chat, and what keeps that in step with the server, whose record counts. */
export class OpenSession extends Store<State> {
  readonly chat: Chat<Message>;
  readonly draft: Draft;
  /** When things began and ended that this page saw happening, by a key of the part. */
  readonly seen = new Map<string, { began: number; ended?: number }>();
  reading: Reading | undefined;
  lastUsed = 0;

  #before: Message[] = []; // the messages as they were before the request that runs
  #syncing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined; // to come after that: what happens meanwhile may have been missed
  #streamed = false; // whether the last request had a stream
  #lost = false; // whether the connection was lost since then
  #loadingLater = false;

  constructor(
    readonly id: string,
    private readonly client: Client,
    transport: ChatTransport<Message>,
    private readonly isConnected: () => boolean,
    isNew: boolean,
  ) {
    super({
      load: isNew ? 'ready' : 'loading',
      earlier: undefined,
      loadingEarlier: false,
      syncing: false,
      past: undefined,
      place: 0,
      goal: undefined,
      stopping: false,
      cut: false,
      activity: undefined,
      refusal: undefined,
    });
    this.draft = new Draft((draft, urgent) => client.change(id, { draft }, urgent));
    this.chat = new Chat<Message>({
      id,
      transport,
      onData: part => {
        if (part.type === 'data-status') this.set({ activity: part.data.text });
      },
      onError: error => this.#failed(error),
      onFinish: ({ isError, message }) => {
        this.#streamed = true;
        this.set({ stopping: false, activity: undefined });
        if (isError && !this.value.cut && message.parts.length === 0) this.#refused();
      },
    });
  }

  /** Whether an answer is on its way. */
  get isBusy(): boolean {
    return this.chat.status === 'submitted' || this.chat.status === 'streaming';
  }

  /** Whether the last answer ended before its turn did, and nothing more of it is coming. */
  get isTruncated(): boolean {
    const answer = this.chat.lastMessage;
    return answer?.role === 'assistant' && !isOver(answer) && !this.isBusy;
  }

  /** Whether a turn may be running: the last message is not a whole answer. Asking in vain would keep a person waiting. */
  get #mayRun(): boolean {
    return this.isTruncated || this.chat.lastMessage?.role === 'user';
  }

  /** Sends what the draft holds. It comes back if it could not be sent. */
  async send(agent?: string): Promise<void> {
    const said = (await this.draft.take()).trim();
    if (!said) return;
    this.toEnd();
    this.set({ refusal: undefined });
    this.#before = this.chat.messages;
    await this.chat.sendMessage({ text: said }, { body: agent ? { references: { agent } } : {} });
  }

  /** Lets the last message be answered again. */
  async retry(): Promise<void> {
    this.set({ refusal: undefined });
    this.#before = this.chat.messages;
    await this.chat.regenerate();
  }

  /** Raises the limit of turns and lets the last message be answered again. */
  async allowMore(limit: number): Promise<void> {
    try {
      await this.client.change(this.id, { maxTurns: limit + moreTurns });
    } catch (error) {
      return this.set({ refusal: (error as Error).message });
    }
    await this.retry();
  }

  /** Asks the server to stop the turn. The chat sees how it ends; only if nobody answers it stops by itself. */
  async stop(): Promise<void> {
    if (!this.isBusy || this.value.stopping) return;
    this.set({ stopping: true });
    try {
      let { stopped } = await this.client.stop(this.id);
      // A stop right after a message may overtake it: they go by different connections.
      while (stopped === 'idle' && this.isBusy) {
        await new Promise(resolve => setTimeout(resolve, overtaken));
        ({ stopped } = await this.client.stop(this.id));
      }
      if (stopped === 'idle') this.set({ stopping: false });
    } catch {
      await this.chat.stop();
      this.set({ stopping: false });
    }
  }

  dismissRefusal(): void {
    if (this.value.refusal) this.set({ refusal: undefined });
  }

  /** Brings the chat in step with the server: what is over is loaded, what is running is streamed. */
  sync(): Promise<void> {
    return (this.#next ??= this.#syncing.then(() => {
      this.#next = undefined;
      return (this.#syncing = this.#sync().finally(() => this.set({ syncing: false })));
    }));
  }

  async #sync(): Promise<void> {
    if (this.isBusy) return;
    this.set({ syncing: true });
    const isLoaded = this.value.load === 'ready' ? await this.#reload() : await this.#load();
    if (!isLoaded) return;
    if (!this.#mayRun) return this.set({ cut: false });
    const streamed = await this.#resume();
    if (!streamed && this.isTruncated) await this.#reload(); // it ended in between
  }

  /** What the server tells of this session, whoever did it. */
  noticed({ event }: SessionNotice): void {
    if (this.isBusy) return;
    const begun = event?.type === 'session:turn_started' && event.messageId !== this.chat.lastMessage?.id;
    const ended = event?.type === 'session:turn_completed' && this.isTruncated;
    if (begun || ended) void this.sync();
  }

  /** Takes the reader to a message: what is around it is loaded if it is not here, and nothing in between. */
  async show(message: string): Promise<void> {
    await this.#loaded();
    if (!(this.value.past?.messages ?? this.chat.messages).some(({ id }) => id === message)) {
      try {
        this.#showPast(await this.client.load(this.id, { around: message, limit: pageSize }));
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

  async loadLater(): Promise<void> {
    const { past } = this.value;
    if (!past?.later || this.#loadingLater) return;
    this.#loadingLater = true;
    try {
      const page = await this.client.load(this.id, { after: past.later, limit: pageSize });
      if (this.value.past?.later !== past.later) return;
      this.#extendPast({ ...this.value.past, messages: [...this.value.past.messages, ...messagesOf(page)], later: page.later });
    } catch {
      // The next time that the reader comes to the end it is tried again.
    } finally {
      this.#loadingLater = false;
    }
  }

  #showPast(page: LoadedSession): void {
    this.reading = { follows: false, offset: 0, sizes: [] };
    this.set({ place: this.value.place + 1 });
    this.#extendPast({ messages: messagesOf(page), earlier: page.earlier, later: page.later });
  }

  /** Where a stretch meets the end of the conversation, both are one again. */
  #extendPast(past: Past): void {
    const end = this.chat.messages;
    const meets = past.messages.findIndex(({ id }) => id === end[0]?.id);
    if (meets < 0 && past.later) return this.set({ past });
    this.chat.messages = meets < 0 ? past.messages : [...past.messages.slice(0, meets), ...end];
    this.set({ past: undefined, earlier: past.earlier });
  }

  /** Waits until the session has been loaded, or could not be. */
  #loaded(): Promise<void> {
    return new Promise(resolve => {
      const look = () => {
        if (this.value.load === 'loading') return;
        stop();
        resolve();
      };
      const stop = this.subscribe(look);
      look();
    });
  }

  async loadEarlier(): Promise<void> {
    const { past, loadingEarlier } = this.value;
    const before = past ? past.earlier : this.value.earlier;
    if (!before || loadingEarlier) return;
    this.set({ loadingEarlier: true });
    try {
      const page = await this.client.load(this.id, { before, limit: pageSize });
      const now = this.value.past;
      if (now && now.earlier === before) this.set({ past: { ...now, messages: [...messagesOf(page), ...now.messages], earlier: page.earlier } });
      if (now || this.value.earlier !== before) return;
      this.chat.messages = [...messagesOf(page), ...this.chat.messages];
      this.set({ earlier: page.earlier });
    } catch {
      // The next time that the reader comes to the top it is tried again.
    } finally {
      this.set({ loadingEarlier: false });
    }
  }

  /** The first load. Says whether there is something to look at. */
  async #load(): Promise<boolean> {
    this.set({ load: 'loading' });
    try {
      const [page, session] = await Promise.all([this.client.load(this.id, { limit: pageSize }), this.client.session(this.id)]);
      this.chat.messages = messagesOf(page);
      this.draft.restore(session.draft);
      this.set({ load: 'ready', earlier: page.earlier });
      return true;
    } catch (error) {
      this.set({ load: error instanceof ApiError && error.status === 404 ? 'missing' : 'failed' });
      return false;
    }
  }

  /** Loads the end of the session again. Says whether there is something to look at. */
  async #reload(): Promise<boolean> {
    const local = this.chat.messages;
    if (local.length === 0) return false; // a new session, of which nothing is stored
    let page: LoadedSession;
    try {
      page = await this.client.load(this.id, { limit: pageSize });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) return false;
      page = { session_id: this.id, messages: [], pending: [], queue: [], branches: {} };
    }
    if (this.isBusy) return false;
    const stored = messagesOf(page);
    const at = local.findIndex(message => message.id === stored[0]?.id);
    this.chat.messages = at > 0 ? [...local.slice(0, at), ...stored] : stored;
    this.chat.clearError();
    if (at < 0) this.set({ earlier: page.earlier });
    this.#giveBackUnsent(local.at(-1), stored);
    return true;
  }

  /** Streams the turn that runs, to its end, and says whether there was one. */
  async #resume(): Promise<boolean> {
    // A second request to resume would abort the first, which the server takes for a stop.
    if (!this.isConnected() || this.isBusy) return false;
    this.#streamed = false;
    this.#lost = false;
    await this.chat.resumeStream();
    if (!this.#lost) this.set({ cut: false });
    return this.#streamed || this.#lost;
  }

  /** What was sent when the connection broke may never have arrived. */
  #giveBackUnsent(sent: Message | undefined, stored: Message[]): void {
    if (sent?.role !== 'user' || stored.some(message => message.id === sent.id)) return;
    this.chat.messages = this.chat.messages.filter(message => message.id !== sent.id);
    this.draft.giveBack(textOf(sent));
    this.set({ refusal: text.refusal.unsent });
  }

  #failed(error: Error): void {
    if (!isCut(error)) return;
    this.#lost = true;
    this.set({ cut: true });
    // If the wire is fine it was this stream alone; if not, whoever watches the wire comes to sync.
    setTimeout(() => this.value.cut && this.isConnected() && void this.sync(), recoverAfter);
  }

  /** Nothing came of the last request: all is as it was before. */
  #refused(): void {
    const sent = this.chat.lastMessage;
    const reason = this.chat.error?.message;
    this.chat.messages = this.#before;
    if (sent?.role === 'user' && !this.#before.some(message => message.id === sent.id)) this.draft.giveBack(textOf(sent));
    this.set({ refusal: reason ?? text.refusal.unsent });
    this.chat.clearError();
  }
}

function messagesOf(page: LoadedSession): Message[] {
  return page.messages as Message[];
}

function textOf(message: Message): string {
  return message.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
