// @vitest-environment node
//
// The wire contract, from the client's side: backend/uistream/testdata says what Go sends and which message comes of it,
// and the real AI SDK must get the same. What Go expects of the client is there too. What the majors before the page's own
// get is in majors.test.ts.
import { readFileSync } from 'node:fs';
import {
  DefaultChatTransport,
  parsePartialJson,
  readUIMessageStream,
  safeValidateUIMessages,
  WebSocketChatTransport,
  type AbstractChat,
  type ChatTransport,
  type FileUIPart,
  type ToolUIPart,
  type UIMessage,
} from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ask, chatOver, chunks, frames, httpTransport, indexOf, newest, read, sections, turns } from './fixtures.ts';

const installed = JSON.parse(readFileSync(new URL(import.meta.resolve('ai/package.json')), 'utf8')).version;

const stored = z.record(z.string(), z.unknown());
const id = { id: z.string() };
const call = { toolCallId: z.string() };
const title = { title: z.string().optional() };
const named = { ...call, toolName: z.string(), providerExecuted: z.literal(true).optional() };
const input = { ...named, input: z.unknown() };

/** The chunks that Parley sends to anybody: what even the strictest version of the client accepts, which refuses unknown keys. */
const strict = z.union([
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('start'), messageId: z.string(), messageMetadata: stored }),
    z.strictObject({ type: z.literal('start-step') }),
    z.strictObject({ type: z.literal('finish-step') }),
    z.strictObject({
      type: z.literal('finish'),
      finishReason: z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']),
      messageMetadata: stored.optional(),
    }),
    z.strictObject({ type: z.literal('abort') }),
    z.strictObject({ type: z.literal('message-metadata'), messageMetadata: stored }),
    z.strictObject({ type: z.enum(['text-start', 'text-end', 'reasoning-start', 'reasoning-end']), ...id }),
    z.strictObject({ type: z.enum(['text-delta', 'reasoning-delta']), ...id, delta: z.string() }),
    z.strictObject({ type: z.literal('tool-input-start'), ...named }),
    z.strictObject({ type: z.literal('tool-input-delta'), ...call, inputTextDelta: z.string() }),
    z.strictObject({ type: z.literal('tool-input-available'), ...input }),
    z.strictObject({ type: z.literal('tool-input-error'), ...input, errorText: z.string() }),
    z.strictObject({ type: z.literal('tool-output-available'), ...call, output: z.unknown(), preliminary: z.literal(true).optional() }),
    z.strictObject({ type: z.literal('tool-output-error'), ...call, errorText: z.string() }),
    z.strictObject({ type: z.literal('tool-output-denied'), ...call }),
    z.strictObject({ type: z.literal('tool-approval-request'), ...call, approvalId: z.string() }),
    z.strictObject({ type: z.literal('source-url'), sourceId: z.string(), url: z.string(), ...title }),
    z.strictObject({ type: z.literal('source-document'), sourceId: z.string(), mediaType: z.string(), title: z.string(), filename: z.string().optional() }),
    z.strictObject({ type: z.literal('file'), url: z.string(), mediaType: z.string() }),
    z.strictObject({ type: z.literal('error'), errorText: z.string() }),
  ]),
  z.strictObject({ type: z.string().startsWith('data-'), id: z.string().optional(), data: z.unknown(), transient: z.literal(true).optional() }),
]);

/** What readUIMessageStream makes of a stream. Unlike the chat it reads on after an error. */
async function readOn(sse: string): Promise<string> {
  const stream = await httpTransport(newest, sse).sendMessages({
    chatId: 'sess_1',
    messages: [],
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  let last: UIMessage | undefined;
  const reader = readUIMessageStream({ stream }).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) last = next.value;
  return JSON.stringify(last);
}

/** A transport over a socket whose other end gives the answers to each frame that it gets. */
function socketTransport(answer: (frame: string) => string[]): ChatTransport<UIMessage> {
  class Socket {
    readyState = 0;
    bufferedAmount = 0;
    onopen?: () => void;
    onmessage?: (event: { data: string }) => void;
    constructor() {
      queueMicrotask(() => {
        this.readyState = 1;
        this.onopen?.();
      });
    }
    send(frame: string) {
      const { requestId } = JSON.parse(frame);
      for (const data of answer(frame.replace(requestId, 'r1'))) this.onmessage?.({ data: data.replace('"r1"', `"${requestId}"`) });
    }
    close() {}
  }
  return new WebSocketChatTransport({ url: 'ws://127.0.0.1/socket', webSocket: Socket as never, body: { references: { agent: 'demo' } } });
}

/**
 * Whether a call was stopped before anybody decided on it. The client refuses those, and there is no chunk that could tell
 * it otherwise: it knows no call that has ended and has a question without a decision.
 */
const isLeft = ({ state, approval }: Partial<ToolUIPart>) => state === 'output-error' && approval && !('approved' in approval);

const asked = (name: string) => read(`requests/${name}.json`).trimEnd();

describe.each(turns)('%s', name => {
  const { ai, sse = '', coalesced, common, message = '', cuts, socket } = sections(read(`turns/${name}`));
  const want = message.trimEnd();
  const ended = sse.endsWith('data: [DONE]\n\n');
  const failed = sse.includes('"type":"error"');

  test('is for the version that is installed', () => {
    expect(ai?.trim()).toBe(installed);
  });

  test('holds what the strictest client accepts', () => {
    expect(() => chunks(common ?? sse).forEach(c => strict.parse(c))).not.toThrow();
  });

  test.each(Object.entries({ sse, ...(coalesced && { coalesced }) }))('%s is the message that clients keep', async (_, stream) => {
    const { kept, shown, status, error } = await ask(newest, httpTransport(newest, stream));
    expect({ status, error }).toMatchObject({ status: failed ? 'error' : 'ready' });
    // Of a turn that still runs, the chat shows a new step only once something is in it.
    const messages = ended ? [kept, shown, await readOn(stream)] : [kept];
    expect(messages).toEqual(messages.map(() => want));
  });

  test('is a message that can be loaded', async () => {
    const got = await safeValidateUIMessages({ messages: [JSON.parse(want)] });
    expect(got.success).toBe(!JSON.parse(want).parts.some(isLeft));
  });

  test.each([...(cuts ?? '').matchAll(/^(\d+) (.*)$/gm)].map(m => m.slice(1)))('is that message when cut after chunk %s', async (index, partial) => {
    const { kept } = await ask(newest, httpTransport(newest, frames(sse).filter(f => indexOf(f) <= Number(index)).join('')));
    expect(kept).toBe(partial);
  });

  test.each(socket ? [socket] : [])('is the same message over the socket', async lines => {
    const { kept } = await ask(newest, socketTransport(() => lines.trimEnd().split('\n')));
    expect(kept).toBe(want);
  });
});

test.each(read('values.txt').split('\n\n')[1]!.trimEnd().split('\n'))('%s', async line => {
  const [text] = JSON.parse(line);
  const { state, value } = await parsePartialJson(text);
  expect([text, state, ...(value === undefined ? [] : [JSON.stringify(value)])]).toEqual(JSON.parse(line));
});

describe('what a client asks', () => {
  const { sse } = sections(read('turns/text.txt'));

  /** The last body that a chat posts if it sends a message and then does something more. */
  async function posted(options: object, then?: (chat: AbstractChat<UIMessage>) => Promise<void>, files?: FileUIPart[]) {
    let body: unknown;
    const fetch = async (_: unknown, init?: RequestInit) => {
      body = init?.body;
      return new Response(sse);
    };
    const { chat } = chatOver(newest, new DefaultChatTransport({ fetch, ...options }));
    await chat.sendMessage({ text: 'Hi', files });
    await then?.(chat);
    return body;
  }

  test('useChat without options', async () => {
    expect(await posted({})).toBe(asked('native'));
    expect(await posted({}, chat => chat.sendMessage({ text: 'Hello', messageId: 'u1' }))).toBe(asked('native_edit'));
    expect(await posted({}, chat => chat.regenerate({ messageId: 'm1' }))).toBe(asked('native_regenerate'));
  });

  test('useChat with files', async () => {
    const file = { type: 'file', mediaType: 'text/plain', filename: 'list.txt' } as const;
    const uploaded = '8825e76530f87ff5c737b3254c6936bc0a90bba3a10a91bbba739268208d378a';
    const files = [{ ...file, url: 'data:text/plain;base64,bWlsaw==' }, { ...file, url: `/media/${uploaded}` }];
    expect(await posted({}, undefined, files)).toBe(asked('native_files'));
  });

  test('useChat with our envelope', async () => {
    const body = { references: { agent: 'demo' }, queue: true };
    const prepareSendMessagesRequest = (r: { id: string; messages: UIMessage[]; body: typeof body; trigger: string; messageId?: string }) => ({
      body: { session_id: r.id, ...r.body, data: { messages: r.messages }, trigger: r.trigger, message_id: r.messageId },
    });
    expect(await posted({ body, prepareSendMessagesRequest })).toBe(asked('envelope'));
  });

  test('a chat over the socket', async () => {
    const sent: string[] = [];
    const { chat } = chatOver(
      newest,
      socketTransport(frame => {
        sent.push(frame);
        return [];
      }),
    );
    const answer = chat.sendMessage({ text: 'Hi' });
    await expect.poll(() => sent.length).toBe(1);
    await chat.stop();
    await answer;
    void chat.resumeStream();
    await expect.poll(() => sent).toEqual(['socket_send', 'socket_abort', 'socket_resume'].map(asked));
  });
});
