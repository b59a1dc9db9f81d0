import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect } from 'vitest';
import type { Door } from '../program.ts';
import { test } from '../test.ts';

/** All the glue there is: where the door is, and what opens it. */
const connect = ({ url, token }: Door) => new DefaultChatTransport({ api: `${url}/messages`, headers: { authorization: `Bearer ${token}` } });

type Transport = ReturnType<typeof connect>;

function say(transport: Transport, chatId: string, words: string, { before = [] as UIMessage[], abort = new AbortController() } = {}) {
  const message: UIMessage = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text: words }] };
  return transport.sendMessages({ chatId, trigger: 'submit-message', messageId: undefined, messages: [...before, message], abortSignal: abort.signal });
}

/** The message as it is when its stream has ended. */
async function read(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  return last!;
}

async function ask({ url, token }: Door, path: string, body?: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.text();
}

const load = (door: Door, id: string) => ask(door, '/load-session', { session_id: id });

async function stored(door: Door, id: string): Promise<UIMessage[]> {
  return (JSON.parse(await load(door, id)) as { messages: UIMessage[] }).messages;
}

/** The parts of a message by what they are, without the text and the ids of this one run. */
const outline = ({ parts }: UIMessage) => parts.map(part => part.type);

describe('DefaultChatTransport and readUIMessageStream', () => {
  test('rebuild an answer that reasons, calls a tool, and speaks', async ({ parley }) => {
    const transport = connect(parley.door);
    const answer = await read(await say(transport, 'all', '[[think:3]] [[tool:list_directory {"path":"."}]] [[say:That is all.]]'));

    expect(answer.role).toBe('assistant');
    expect(outline(answer)).toEqual(['step-start', 'reasoning', 'tool-list_directory', 'step-start', 'text']);
    expect(answer.parts.at(1)).toMatchObject({ type: 'reasoning', state: 'done' });
    expect(answer.parts.at(2)).toMatchObject({ state: 'output-available', output: { path: '.', entries: [] } });
    expect(answer.parts.at(-1)).toMatchObject({ type: 'text', text: 'That is all.', state: 'done' });
    // §5 byte-equal to what a live client assembled
    expect(await load(parley.door, 'all')).toContain(`${JSON.stringify(answer)}]`);
  });

  test('take two turns in a row, each sent with all that came before', async ({ parley }) => {
    const transport = connect(parley.door);
    const first = await read(await say(transport, 'two', '[[say:One.]]'));
    const second = await read(await say(transport, 'two', '[[say:Two.]]', { before: await stored(parley.door, 'two') }));

    const messages = await stored(parley.door, 'two');
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages[1]).toEqual(first);
    expect(messages[3]).toEqual(second);
  });

  test('abort in the middle: the client leaves, the turn goes on, and is there to come back to', async ({ parley }) => {
    const transport = connect(parley.door);
    const abort = new AbortController();
    const stream = await say(transport, 'leave', '[[deltas:3]] [[hang]]', { abort });
    const left = read(stream.pipeThrough(new TransformStream({ transform: (chunk, out) => (out.enqueue(chunk), abort.abort()) })));
    await expect(left).rejects.toThrow(/abort/);

    const rest = read((await transport.reconnectToStream({ chatId: 'leave' }))!);
    await ask(parley.door, '/messages/leave/stop');
    const answer = await rest;
    expect(answer.metadata).toMatchObject({ stopReason: 'cancelled' });
    expect(await stored(parley.door, 'leave')).toContainEqual(answer);
  });

  // §2 GET /messages/{id}/stream is what its reconnectToStream calls (204 when nothing runs)
  test('resume by the default path, and see the same message as who stayed', async ({ parley }) => {
    const transport = connect(parley.door);
    const stayed = read(await say(transport, 'resume', '[[think:20]] [[deltas:100]] [[gap:5ms]]'));
    const resumed = await transport.reconnectToStream({ chatId: 'resume' });
    expect(resumed).not.toBeNull();
    expect(await read(resumed!)).toEqual(await stayed);
    expect(await transport.reconnectToStream({ chatId: 'resume' }), 'nothing runs any more').toBeNull();
  });

  test('a turn that fails says why, keeps what was said, and the next one works', async ({ parley }) => {
    const transport = connect(parley.door);
    await expect(read(await say(transport, 'failing', '[[deltas:3]] [[error:429]]'))).rejects.toThrow(/asks for this failure/);
    const failed = (await stored(parley.door, 'failing')).at(-1)!;
    expect(outline(failed)).toEqual(['step-start', 'text', 'data-agent-error']);
    expect(failed.parts.at(-1)).toMatchObject({ data: { code: 'provider_rate_limit', retryable: true } });
    expect(outline(await read(await say(transport, 'failing', '[[say:Well again.]]')))).toEqual(['step-start', 'text']);
  });

  test('a wrong token is refused with a sentence, and nothing is stored', async ({ parley }) => {
    const transport = connect({ ...parley.door, token: '0'.repeat(64) });
    await expect(say(transport, 'locked', 'Hello')).rejects.toThrow(/token/i);
    await expect(transport.reconnectToStream({ chatId: 'locked' })).rejects.toThrow(/token/i);
    expect(await stored(parley.door, 'locked')).toBeUndefined();
  });
});
