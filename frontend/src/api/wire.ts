import type { WebSocketChatTransportInitOptions } from 'ai';
import { Store } from '../ui/store.ts';
import { ApiError, type Client } from './client.ts';
import type { Door } from './host.ts';
import type { SessionNotice } from './types.gen.ts';

/** locked: the door does not know the key of this page, so that trying again is no use. */
export type WireState = 'connecting' | 'open' | 'lost' | 'locked';

type SocketConstructor = NonNullable<WebSocketChatTransportInitOptions<never>['webSocket']>;
type SocketLike = InstanceType<SocketConstructor>;

const shortestPause = 250;
const longestPause = 4_000;
/** A connection that held for this many milliseconds was a good one: the next pause is a short one again. */
const steadyAfter = 10_000;

/** Notices begin like this, and nothing else does: not every word of every answer has to be parsed twice. */
const noticePrefix = '{"type":"session"';
const vaultPrefix = '{"type":"vault"';
const agentsPrefix = '{"type":"agents"';
const workflowsPrefix = '{"type":"workflows"';

/** The wire as the transport sees it: a socket of its own. */
class Port {
  readyState: number = WebSocket.CONNECTING;
  onopen: SocketLike['onopen'] = null;
  onmessage: SocketLike['onmessage'] = null;
  onerror: SocketLike['onerror'] = null;
  onclose: SocketLike['onclose'] = null;

  constructor(
    readonly send: (data: string) => void,
    readonly close: () => void,
  ) {}

  open(): void {
    if (this.readyState !== WebSocket.CONNECTING) return;
    this.readyState = WebSocket.OPEN;
    this.onopen?.({});
  }

  receive(data: string): void {
    this.onmessage?.({ data });
  }

  closed(event: unknown): void {
    this.readyState = WebSocket.CLOSED;
    this.onclose?.(event);
  }
}

/**
 * The one socket of the page, kept open. A browser allows six connections to a host, and a page may watch more turns
 * than that; so everything shares this one: the turns, through a `socket` that the AI SDK's transport takes for its own,
 * and the notices.
 */
export class Wire extends Store<{ state: WireState }> {
  #socket: WebSocket | undefined;
  #ports = new Set<Port>();
  #listeners = new Set<(notice: SessionNotice) => void>();
  #vaultChanged = () => {};
  #agentsChanged = () => {};
  #workflowsChanged = () => {};
  #wake = () => {};

  constructor(
    private readonly door: Door,
    private readonly client: Client,
  ) {
    super({ state: 'connecting' });
  }

  /** Connects, and connects again whenever the connection is lost, until the signal ends it or the door is locked. */
  async run(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener('abort', () => this.#socket?.close());
    let pause = shortestPause;
    for (;;) {
      const began = performance.now();
      const opened = await this.#hold();
      if (signal?.aborted) return;
      this.door.lost();
      if (!opened && (await this.#isLocked())) return this.set({ state: 'locked' });
      if (this.value.state === 'open') this.set({ state: 'lost' });
      pause = opened && performance.now() - began > steadyAfter ? shortestPause : Math.min(pause * 2, longestPause);
      await this.#pause(pause);
      this.door.lost(); // whoever has the door may have changed meanwhile
    }
  }

  /** Ends a pause between two attempts: something changed that makes success likely. */
  hurry(): void {
    this.#wake();
  }

  onNotice(listener: (notice: SessionNotice) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls back when the state of the vault changed. */
  onVaultNotice(listener: () => void): void {
    this.#vaultChanged = listener;
  }

  /** Calls back when there are other agents. */
  onAgentsNotice(listener: () => void): void {
    this.#agentsChanged = listener;
  }

  /** Calls back when files of workflows changed. */
  onWorkflowsNotice(listener: () => void): void {
    this.#workflowsChanged = listener;
  }

  /** The constructor of sockets to give to a transport. What it makes is open while the wire is. */
  get socket(): SocketConstructor {
    const attach = (port: Port) => {
      this.#ports.add(port);
      // Not at once: whoever makes a socket sets its handlers afterwards.
      if (this.value.state === 'open') queueMicrotask(() => port.open());
    };
    const send = (data: string) => this.#socket?.send(data);
    // The transport gives up a socket on which it met what it cannot read. The next connection replays it.
    const close = () => this.#socket?.close();
    return class extends Port {
      constructor() {
        super(send, close);
        attach(this);
      }
    };
  }

  /** Holds one connection until it ends, and says whether it was ever open. */
  async #hold(): Promise<boolean> {
    const connection = await this.door.connection().catch(() => undefined);
    if (!connection) return false;
    return new Promise(resolve => {
      const url = `${connection.url.replace(/^http/, 'ws')}/socket`;
      const socket = new WebSocket(url, ['parley', `parley.token.${connection.token}`]);
      socket.addEventListener('open', () => {
        this.#socket = socket;
        for (const port of this.#ports) port.open();
        this.set({ state: 'open' });
      });
      socket.addEventListener('message', event => this.#receive(String(event.data)));
      socket.addEventListener('close', event => {
        const wasOpen = this.#socket !== undefined;
        this.#socket = undefined;
        for (const port of this.#ports) port.closed(event);
        this.#ports.clear();
        resolve(wasOpen);
      });
    });
  }

  #receive(data: string): void {
    if (data.startsWith(vaultPrefix)) return this.#vaultChanged();
    if (data.startsWith(agentsPrefix)) return this.#agentsChanged();
    if (data.startsWith(workflowsPrefix)) return this.#workflowsChanged();
    if (!data.startsWith(noticePrefix)) {
      for (const port of this.#ports) port.receive(data);
      return;
    }
    const notice = JSON.parse(data) as SessionNotice;
    for (const listener of this.#listeners) listener(notice);
  }

  /** A browser does not say why a socket did not open, so a plain request asks. */
  async #isLocked(): Promise<boolean> {
    try {
      await this.client.health();
      return false;
    } catch (error) {
      return error instanceof ApiError && error.status === 401;
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
