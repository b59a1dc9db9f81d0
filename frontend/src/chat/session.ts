import { Chat } from '@ai-sdk/react';
import type { ChatTransport, UIMessageChunk } from 'ai';
import { ApiError, type Client } from '../api/client.ts';
import { isCut } from '../api/transport.ts';
import type { LoadedSession, Login, Mode, SessionNotice } from '../api/types.gen.ts';
import type { Chosen } from '../files/chosen.ts';
import { Store } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { Draft } from './draft.ts';
import { isNothing, isOver, isSame, partsOf, saidIn, type Message, type Notice, type Said } from './message.ts';
import { Pages, pageSize } from './pages.ts';
import { openQuestions, Questions } from './questions.ts';
import { Queue } from './queue.ts';

const recoverAfter = 300;
const overtaken = 50;
export const moreTurns = 50;

interface State {
  load: 'loading' | 'ready' | 'missing' | 'failed';
  /** It is being brought in step with the server: an answer without an end may go on in a moment. */
  syncing: boolean;
  /** The person asked for a stop, and the turn has not ended yet. */
  stopping: boolean;
  /** The connection was lost in the middle of an answer, which is to be resumed. */
  cut: boolean;
  /** Another branch is about to be shown. */
  choosing: boolean;
  /** What the agent says it is busy with. */
  activity: string | undefined;
  /** Why what was asked last did not begin. */
  refusal: string | undefined;
  /** The files that were chosen here for the agent, of a session that may not be in the list yet. */
  files: Chosen | undefined;
}

/** A session that this page has open: its chat, and what keeps that in step with the server, whose record counts. */
export class OpenSession extends Store<State> {
  readonly chat: Chat<Message>;
  readonly pages: Pages;
  readonly draft: Draft;
  readonly queue: Queue;
  readonly questions: Questions;
  /** When things began and ended that this page saw happening, by a key of the part. */
  readonly seen = new Map<string, { began: number; ended?: number }>();
  /** What became of messages that are being edited, by their ids. */
  readonly edits = new Map<string, string>();
  lastUsed = 0;

  #arrived: Promise<void> = Promise.resolve(); // once the server has what was sent last, or will not get it
  #hasArrived = () => {};
  #undo = () => {}; // makes everything as it was before the request that runs
  #syncing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined; // to come after that: what happens meanwhile may have been missed
  #streamed = false; // whether the last request had a stream
  #lost = false; // whether the connection was lost since then
  #missed: string | undefined; // the answer that went on, or began, while another stream was not at its end yet

  constructor(
    readonly id: string,
    private readonly client: Client,
    transport: ChatTransport<Message>,
    private readonly isConnected: () => boolean,
    notify: (notice: Notice) => void,
    isNew: boolean,
  ) {
    super({
      load: isNew ? 'ready' : 'loading',
      syncing: false,
      stopping: false,
      cut: false,
      choosing: false,
      activity: undefined,
      refusal: undefined,
      files: undefined,
    });
    this.draft = new Draft({ save: (kept, urgent) => client.change(id, kept, urgent), upload: client.upload });
    this.queue = new Queue(id, client);
    this.questions = new Questions(client);
    this.chat = new Chat<Message>({
      id,
      transport: {
        ...transport,
        sendMessages: async options => {
          const hear = (chunk: UIMessageChunk, on: TransformStreamDefaultController<UIMessageChunk>) => {
            this.#hasArrived();
            on.enqueue(chunk);
          };
          return (await transport.sendMessages(options)).pipeThrough(new TransformStream({ transform: hear }));
        },
      },
      onData: part => {
        if (part.type === 'data-status') this.set({ activity: part.data.text });
        else if (part.type === 'data-notification') notify(part.data);
      },
      onError: error => this.#failed(error),
      onFinish: ({ isError, message }) => {
        this.#streamed = true;
        this.#hasArrived();
        this.set({ stopping: false, activity: undefined });
        if (isError && !this.value.cut && message.parts.length === 0) this.#refused();
        this.#undo = () => {};
        if (this.#missed && (this.#missed !== message.id || !isOver(message))) void this.sync();
        this.#missed = undefined;
      },
    });
    this.pages = new Pages(id, client, this.chat);
  }

  /** Whether an answer is on its way. */
  get isBusy(): boolean {
    return this.chat.status === 'submitted' || this.chat.status === 'streaming';
  }

  /** Whether the turn waits for answers of the person. */
  get isPaused(): boolean {
    return !this.isBusy && openQuestions(this.chat.lastMessage).length > 0;
  }

  /** Whether the last answer ended before its turn did, and nothing more of it is coming. */
  get isTruncated(): boolean {
    const answer = this.chat.lastMessage;
    return answer?.role === 'assistant' && !isOver(answer) && !this.isBusy && !this.isPaused;
  }

  /** Whether a turn may be running: the last message is not a whole answer. Asking in vain would keep a person waiting. */
  get #mayRun(): boolean {
    return this.isTruncated || this.chat.lastMessage?.role === 'user';
  }

  /**
   * Sends what the draft holds, or queues it while a turn runs or waits. It comes back if it could not be sent. The agent,
   * and its login, are for a session that begins.
   */
  async send(agent?: string, how: { login?: Login; permissions?: Mode } = {}): Promise<void> {
    const said = await this.draft.take();
    if (isNothing(said)) return;
    if (this.isBusy || this.isPaused) return void (await this.#enqueue(said));
    this.pages.toEnd();
    this.#begins(said);
    const body = { ...(agent && { references: { agent } }), ...(Object.values(how).some(Boolean) && { data: { parameters: { agent: how } } }) };
    await this.chat.sendMessage({ parts: partsOf(said) }, { body });
  }

  /** Sends what the draft holds, now: into the turn that runs, or after a stop. If that is nothing, what has waited longest. */
  async sendNow(): Promise<void> {
    const said = await this.draft.take();
    const number = isNothing(said) ? this.queue.value.waiting[0]?.number : await this.#enqueue(said);
    if (number !== undefined) await this.sendQueued(number);
  }

  /** Sends a message that waits, now. */
  async sendQueued(number: number): Promise<void> {
    await this.#does(this.queue.sendNow(number));
  }

  /** Gives a message that waits other words. If it went before that, they are in the draft. */
  async changeQueued(number: number, said: string): Promise<void> {
    if (!(await this.#does(this.queue.change(number, said)))) this.draft.giveBack({ text: said, files: [] });
  }

  async unqueue(number: number): Promise<void> {
    await this.#does(this.queue.remove(number));
  }

  /** Lets an answer be written anew, the last if none is named. The one there is stays, in a branch of its own. */
  async retry(answer?: string): Promise<void> {
    this.#begins();
    this.pages.endHere();
    await this.chat.regenerate({ messageId: answer });
    if (this.chat.status === 'ready') await this.pages.renewBranches();
  }

  /** Sends a message in the place of one that was sent before. What that led to stays, in a branch of its own. */
  async edit(message: Message, words: string): Promise<void> {
    const said = { ...saidIn(message), text: words };
    this.#begins(said);
    this.pages.endHere();
    await this.chat.sendMessage({ parts: partsOf(said), role: 'user', messageId: message.id });
    if (this.chat.status === 'ready') await this.pages.renewBranches();
  }

  /** Shows the branch that an answer is in. Its reader stays at that turn. */
  async choose(answer: string): Promise<void> {
    this.set({ choosing: true });
    if (await this.#does(this.client.choose(this.id, answer))) {
      this.pages.toEnd();
      await this.sync();
      if (!this.pages.shown.some(({ id }) => id === answer)) await this.pages.show(answer);
    }
    this.set({ choosing: false });
  }

  /** Says which files the agent reaches from the next turn on. */
  async chooseFiles(change: Partial<Chosen>): Promise<void> {
    const { scope, workingDir } = await this.client.change(this.id, change);
    this.set({ files: { scope, workingDir } });
  }

  /** Raises the limit of turns and lets the last message be answered again. */
  async allowMore(limit: number): Promise<void> {
    if (await this.#does(this.client.change(this.id, { maxTurns: limit + moreTurns }))) await this.retry();
  }

  /** Asks the server to stop the turn. The chat sees how it ends; only if nobody answers it stops by itself. */
  async stop(): Promise<void> {
    if (!(this.isBusy || this.isPaused) || this.value.stopping) return;
    this.set({ stopping: true });
    try {
      let { stopped } = await this.client.stop(this.id);
      // A stop right after a message may overtake it: they go by different connections.
      while (stopped === 'idle' && this.isBusy) {
        await new Promise(resolve => setTimeout(resolve, overtaken));
        ({ stopped } = await this.client.stop(this.id));
      }
      if (stopped === 'idle' || !this.isBusy) this.set({ stopping: false });
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
    if (event?.type === 'agent:directive_injected') return void this.queue.refresh();
    if (!event) return void (this.chat.messages.length > 0 && this.queue.refresh()); // or another draft, or title
    const answer = this.chat.lastMessage;
    const begins = event.type === 'session:turn_started' && event.messageId !== answer?.id;
    const goesOn = event.type === 'session:turn_resumed' && answer;
    if (this.isBusy) {
      if (begins || goesOn) this.#missed = begins ? event.messageId : answer?.id;
      return;
    }
    const moves = ['session:turn_completed', 'agent:approval_resolved'].includes(event.type) && answer && !isOver(answer);
    if (begins || goesOn || moves) void this.sync();
  }

  /** Takes the reader to a message, wherever in the session it is. */
  async show(message: string): Promise<void> {
    await this.#loaded();
    await this.pages.show(message);
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

  /** The first load. Says whether there is something to look at. */
  async #load(): Promise<boolean> {
    this.set({ load: 'loading' });
    try {
      const [page, session] = await Promise.all([this.client.load(this.id, { limit: pageSize }), this.client.session(this.id)]);
      this.pages.take(page);
      this.queue.take(page.queue);
      this.draft.restore(session);
      this.set({ load: 'ready' });
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
    this.pages.take(page);
    this.queue.take(page.queue);
    this.chat.clearError();
    this.#giveBackUnsent(local.at(-1)!);
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
  #giveBackUnsent(sent: Message): void {
    if (sent.role !== 'user' || this.chat.messages.some(({ id, parts }) => id === sent.id && isSame(saidIn({ ...sent, parts }), saidIn(sent)))) return;
    this.draft.giveBack(saidIn(sent));
    this.set({ refusal: text.refusal.unsent });
  }

  #failed(error: Error): void {
    if (!isCut(error)) return;
    this.#lost = true;
    this.set({ cut: true });
    // If the wire is fine it was this stream alone; if not, whoever watches the wire comes to sync.
    setTimeout(() => this.value.cut && this.isConnected() && void this.sync(), recoverAfter);
  }

  /** A request is about to be made; what is said with it must not be lost. */
  #begins(said?: Said): void {
    const restore = this.pages.mark();
    this.#arrived = new Promise(resolve => (this.#hasArrived = resolve));
    this.set({ refusal: undefined });
    this.#undo = () => {
      restore();
      if (said) this.draft.giveBack(said);
    };
  }

  /** Nothing came of the last request: all is as it was before. */
  #refused(): void {
    const reason = this.chat.error?.message;
    this.#undo();
    this.set({ refusal: reason ?? text.refusal.unsent });
    this.chat.clearError();
  }

  /** Queues a message, and gives its number, unless it could not be stored, or went at once. */
  async #enqueue(said: Said): Promise<number | undefined> {
    this.set({ refusal: undefined });
    try {
      if (this.isConnected()) await this.#arrived; // it goes by another connection, and would overtake
      return await this.queue.add(said);
    } catch (error) {
      this.draft.giveBack(said);
      this.set({ refusal: (error as Error).message });
    }
    return undefined;
  }

  /** Waits for a request, and says whether it was granted. If not, the person is told why. */
  async #does(request: Promise<unknown>): Promise<boolean> {
    this.set({ refusal: undefined });
    try {
      await request;
      return true;
    } catch (error) {
      this.set({ refusal: (error as Error).message });
      return false;
    }
  }
}
