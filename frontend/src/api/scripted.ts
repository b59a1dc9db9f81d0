import { vi } from 'vitest';
import { OpenSessions } from '../chat/sessions.ts';
import { LiveVault } from '../vault/vault.ts';
import { Client } from './client.ts';
import { Door } from './host.ts';
import { chatTransport } from './transport.ts';
import type { Vault } from './types.gen.ts';
import { Wire } from './wire.ts';

/** A frame of the socket, either way. */
export type Frame = { type: string; requestId: string } & Record<string, unknown>;

/** The other end of a socket that the page opened. */
export class ScriptedSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 3;
  readyState = ScriptedSocket.CONNECTING;
  readonly bufferedAmount = 0;
  readonly frames: Frame[] = [];

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    super();
    ScriptedSocket.made.push(this);
  }

  static made: ScriptedSocket[] = [];

  send(data: string): void {
    this.frames.push(JSON.parse(data) as Frame);
  }

  close(): void {
    this.readyState = ScriptedSocket.CLOSED;
    this.dispatchEvent(new CloseEvent('close', { code: 1006 }));
  }

  accept(): void {
    this.readyState = ScriptedSocket.OPEN;
    this.dispatchEvent(new Event('open'));
  }

  say(frame: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  /** Answers the last frame of the page: with chunks, numbered as they must be, and an end. */
  answer(chunks: object[], { ends = true } = {}): void {
    const { requestId } = this.frames.at(-1)!;
    this.say({ type: 'start', requestId });
    chunks.forEach((chunk, sequence) => this.say({ type: 'chunk', requestId, sequence, chunk }));
    if (ends) this.say({ type: 'end', requestId });
  }

  reply(type: string, more: object = {}): void {
    this.say({ type, requestId: this.frames.at(-1)!.requestId, ...more });
  }
}

/** What the door answers when it refuses. */
export function refusal(code: number, type: string, message: string): Response {
  return Response.json({ status: { code, type, message } }, { status: code });
}

export const readyVault: Vault = {
  state: 'ready',
  message: '',
  remedy: '',
  accepts: [],
  slots: ['keychain'],
  keychain: { health: 'works', kind: 'gnome-keyring', remedy: '' },
  lost: 0,
  rolledBack: false,
  readOnly: false,
  history: 'garden.1',
  lockAfter: 0,
};

/** A server that does what its test says, and the parts of the page that talk to it. */
export class ScriptedServer {
  /** What is answered to a request, or the body of it; 404 if nothing is said of it. */
  readonly answers = new Map<string, (query: URLSearchParams, body: unknown) => unknown>([['GET /vault', () => readyVault]]);
  readonly asked: string[] = [];
  key: string | undefined = 'key';
  readonly client: Client;
  readonly wire: Wire;
  readonly vault: LiveVault;
  readonly sessions: OpenSessions;
  #end = new AbortController();

  constructor() {
    ScriptedSocket.made = [];
    vi.stubGlobal('WebSocket', ScriptedSocket);
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => this.#fetch(new URL(url), init));
    const connection = async () => (this.key ? { url: 'http://127.0.0.1:1', token: this.key } : undefined);
    const door = new Door({ connection, painted: () => {}, onClose: () => {}, openLink: () => {}, copy: async () => {}, copySecret: async () => true, dropSecret: async () => {}, mayNotify: async () => false, save: async () => undefined, onNoticeOpened: () => {} });
    this.client = new Client(door);
    this.wire = new Wire(door, this.client);
    this.vault = new LiveVault(this.client, this.wire);
    this.sessions = new OpenSessions(this.client, chatTransport(this.wire), this.wire, this.vault);
  }

  /** Connects the page, and lets everything happen that follows. */
  async start(): Promise<void> {
    void this.wire.run(this.#end.signal);
    await pass();
    this.socket.accept();
    await pass();
  }

  end(): void {
    this.#end.abort();
  }

  /** The socket that the page opened last. */
  get socket(): ScriptedSocket {
    return ScriptedSocket.made.at(-1)!;
  }

  async #fetch({ pathname, searchParams }: URL, { method, signal, body }: RequestInit): Promise<Response> {
    const request = `${method} ${pathname}`;
    this.asked.push(request);
    const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const answer = this.answers.get(request);
    if (!answer) return refusal(404, 'not_found', 'Nothing.');
    const given = await Promise.race([answer(searchParams, body && JSON.parse(body as string)), aborted]);
    return given instanceof Response ? given : Response.json(given);
  }
}

/** Lets everything happen that is under way, and so many milliseconds pass. */
export async function pass(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
