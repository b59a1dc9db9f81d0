import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass, ScriptedServer } from '../api/scripted.ts';
import { text } from '../ui/text.ts';
import type { OpenSession } from './session.ts';

let server: ScriptedServer;

beforeEach(async () => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  await server.start();
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const over = { stopReason: 'end_turn', finishedAt: 2 };
const begin = [{ type: 'start', messageId: 'a1', messageMetadata: { createdAt: 1 } }, { type: 'start-step' }, { type: 'text-start', id: 't0' }];
const some = [...begin, { type: 'text-delta', id: 't0', delta: 'Half an ' }];
const all = [
  ...some,
  { type: 'text-delta', id: 't0', delta: 'answer.' },
  { type: 'text-end', id: 't0' },
  { type: 'finish-step' },
  { type: 'finish', messageMetadata: over },
];
const parts = (said: string, state: string) => [{ type: 'step-start' }, { type: 'text', text: said, state }];
const answer = { id: 'a1', role: 'assistant', metadata: { createdAt: 1, ...over }, parts: parts('Half an answer.', 'done') };
const partial = { id: 'a1', role: 'assistant', metadata: { createdAt: 1 }, parts: parts('Half an ', 'streaming') };

const asked = (session: OpenSession) => session.chat.messages.find(message => message.role === 'user')!;
const frames = () => server.socket.frames.map(frame => frame.type);

/** A session of which nothing is stored. */
const nothing = { session_id: 's', messages: [], pending: [], queue: [], branches: {} };

/** A new session in which something was just sent. */
async function sent(): Promise<OpenSession> {
  const session = server.sessions.get('s', { isNew: true });
  session.draft.edit('Hi');
  void session.send('demo');
  await pass();
  return session;
}

const picture = { type: 'file', mediaType: 'image/png', filename: 'sky.png', url: '/media/sky' } as const;

/** A new session in which a picture was just sent, without a word. */
async function shown(): Promise<OpenSession> {
  const session = server.sessions.get('s', { isNew: true });
  session.draft.giveBack({ text: '', files: [picture] });
  void session.send();
  await pass();
  expect(server.socket.frames.at(-1)!.messages).toMatchObject([{ parts: [picture] }]);
  expect(session.draft.value.files).toEqual([]);
  return session;
}

/** What the server has stored of the session. */
function stored(...messages: object[]): void {
  server.answers.set('POST /load-session', () => ({ ...nothing, messages }));
  server.answers.set('GET /sessions/s', () => ({ id: 's', draft: '', draftFiles: [] }));
}

/** Loses the connection and gets another. */
async function reconnect(): Promise<void> {
  server.socket.close();
  await pass(500);
  server.socket.accept();
  await pass();
}

test('what is sent is the newest message, and whom it is for', async () => {
  const session = await sent();
  expect(server.socket.frames).toMatchObject([
    { type: 'send', id: 's', trigger: 'submit-message', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }], body: { references: { agent: 'demo' } } },
  ]);
  server.socket.answer(all);
  await pass();
  expect(session.chat.lastMessage).toEqual(answer);
  session.draft.edit('More');
  void session.send();
  await pass();
  expect(server.socket.frames.at(-1)!.messages).toMatchObject([{ parts: [{ text: 'More' }] }]);
});

test('what the agent tells on the desktop is heard once, and is no part of its answer', async () => {
  const heard: unknown[] = [];
  server.sessions.onNotice((...notice) => heard.push(notice));
  const session = await sent();
  server.socket.answer([...some, { type: 'data-notification', data: { title: 'Done', body: '' }, transient: true }, ...all.slice(some.length)]);
  await pass();
  expect(heard).toEqual([['s', { title: 'Done', body: '' }]]);
  expect(session.chat.lastMessage).toEqual(answer);
});

describe('an answer that is cut', () => {
  test('is resumed once there is a connection again, and ends as if nothing had happened', async () => {
    const session = await sent();
    server.socket.answer(some, { ends: false });
    await pass();
    stored(asked(session), partial);
    server.socket.close();
    await pass();
    expect(session.value.cut).toBe(true);
    expect(session.isTruncated).toBe(true);
    await pass(500);
    server.socket.accept();
    await pass();
    expect(frames()).toEqual(['resume']);
    server.socket.answer(all);
    await pass();
    expect(session.chat.messages).toEqual([asked(session), answer]);
    expect([session.value.cut, session.isTruncated, session.chat.error]).toEqual([false, false, undefined]);
  });

  test('is loaded if its turn ended meanwhile', async () => {
    const session = await sent();
    server.socket.answer(some, { ends: false });
    await pass();
    stored(asked(session), answer);
    await reconnect();
    expect(session.chat.lastMessage).toEqual(answer);
    expect(session.value.cut).toBe(false);
    expect(frames(), 'what is over is not asked for').toEqual([]);
  });

  test('is resumed at once if the connection is fine: the end of a stream is not the end of a turn', async () => {
    const session = await sent();
    server.socket.answer(some);
    await pass();
    expect(session.value.cut).toBe(true);
    stored(asked(session), partial);
    await pass(300);
    expect(frames()).toEqual(['send', 'resume']);
    server.socket.answer(all);
    await pass();
    expect(session.chat.lastMessage).toEqual(answer);
  });

  test('is resumed by one request: a second would be taken for a stop', async () => {
    const session = await sent();
    server.socket.answer(some, { ends: false });
    await pass();
    stored(asked(session), partial);
    await reconnect();
    void session.sync();
    await pass(1_000);
    void session.sync();
    await pass(1_000);
    expect(frames()).toEqual(['resume']);
  });
});

describe('a message that never arrived', () => {
  test.each([
    ['of a session that nobody knows', () => {}],
    ['of one that others know', () => stored()],
  ])('%s comes back', async (_, has) => {
    const session = await sent();
    has();
    await reconnect();
    expect(session.draft.value.text).toBe('Hi');
    expect(session.chat.messages).toEqual([]);
    expect(session.value.refusal).toBe(text.refusal.unsent);
  });

  test('comes back with its files', async () => {
    const session = await shown();
    await reconnect();
    expect(session.draft.value).toMatchObject({ text: '', files: [{ name: 'sky.png', url: '/media/sky' }] });
  });
});

describe('what the server refuses', () => {
  test('comes back with its files', async () => {
    const session = await shown();
    server.socket.reply('error', { errorText: 'The session is still answering.' });
    await pass();
    expect(session.draft.value).toMatchObject({ text: '', files: [{ name: 'sky.png', url: '/media/sky' }] });
  });

  test('comes back, with the reason', async () => {
    const session = await sent();
    session.draft.edit('typed since');
    server.socket.reply('error', { errorText: 'The session is still answering.' });
    await pass();
    expect(session.draft.value.text).toBe('Hi\ntyped since');
    expect(session.value.refusal).toBe('The session is still answering.');
    expect([session.chat.messages, session.chat.status]).toEqual([[], 'ready']);
  });

  test('leaves the answer that was to be replaced', async () => {
    const session = await sent();
    server.socket.answer(all);
    await pass();
    void session.retry();
    await pass();
    expect(session.chat.messages).toHaveLength(1);
    server.socket.reply('error', { errorText: 'Busy.' });
    await pass();
    expect(session.chat.lastMessage).toEqual(answer);
    expect(session.draft.value.text).toBe('');
  });
});

test('a turn that fails says why in the answer, and can be answered again', async () => {
  const session = await sent();
  const failure = { code: 'provider_rate_limit', message: 'Slow down.', retryable: true, remedy: 'Wait.' };
  server.socket.answer([...begin, { type: 'data-agent-error', data: failure }, { type: 'error', errorText: 'Slow down.' }]);
  await pass();
  expect(session.chat.lastMessage!.parts.at(-1)).toEqual({ type: 'data-agent-error', data: failure });
  expect(session.value.refusal).toBeUndefined();
  void session.retry();
  await pass();
  expect(server.socket.frames.at(-1)).toMatchObject({ type: 'send', trigger: 'regenerate-message' });
  server.socket.answer(all);
  await pass();
  expect(session.chat.messages).toEqual([asked(session), answer]);
});

test('more turns are allowed before the last is tried again', async () => {
  const session = await sent();
  server.socket.answer(all);
  await pass();
  server.answers.set('PATCH /sessions/s', () => ({ id: 's' }));
  void session.allowMore(50);
  await pass();
  expect(server.asked).toContain('PATCH /sessions/s');
  expect(server.socket.frames.at(-1)).toMatchObject({ trigger: 'regenerate-message' });
});

describe('a stop', () => {
  test('is the business of the server, which says how it ends', async () => {
    const session = await sent();
    server.socket.answer(some, { ends: false });
    server.answers.set('POST /messages/s/stop', () => ({ stopped: 'confirmed' }));
    await pass();
    void session.stop();
    expect(session.value.stopping).toBe(true);
    await pass();
    expect(frames()).toEqual(['send']);
    const { requestId } = server.socket.frames[0]!;
    const rest = [{ type: 'text-end', id: 't0' }, { type: 'message-metadata', messageMetadata: { stopReason: 'cancelled', finishedAt: 2 } }, { type: 'abort' }];
    rest.forEach((chunk, i) => server.socket.say({ type: 'chunk', requestId, sequence: some.length + i, chunk }));
    server.socket.say({ type: 'end', requestId });
    await pass();
    expect(session.chat.lastMessage).toMatchObject({ metadata: { stopReason: 'cancelled' }, parts: parts('Half an ', 'done') });
    expect([session.value.stopping, session.chat.status]).toEqual([false, 'ready']);
  });

  test('is done here if nobody answers', async () => {
    const session = await sent();
    server.socket.answer(some, { ends: false });
    await pass();
    void session.stop(); // 404
    await pass();
    expect([session.value.stopping, session.chat.status]).toEqual([false, 'ready']);
    expect(session.isTruncated).toBe(true);
  });
});

test('what another page asks in this session is shown here, too', async () => {
  const question = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
  stored();
  const session = server.sessions.get('s');
  await pass();
  stored(question, partial);
  session.chat.messages = [question as never];
  server.socket.say({ type: 'session', requestId: '', sessionId: 's', event: { type: 'session:turn_started', messageId: 'a1' } });
  await pass();
  expect(frames()).toEqual(['resume']);
  server.socket.answer(all);
  await pass();
  expect(session.chat.messages).toEqual([question, answer]);
});

test('earlier messages come before those that are there', async () => {
  const pages = [{ ...nothing, messages: [answer], earlier: 'u1' }, { ...nothing, messages: [{ id: 'u0', role: 'user', parts: [] }] }];
  server.answers.set('POST /load-session', () => pages.shift());
  server.answers.set('GET /sessions/s', () => ({ id: 's', draft: '', draftFiles: [] }));
  const session = server.sessions.get('s');
  await pass();
  void session.pages.loadEarlier();
  void session.pages.loadEarlier();
  await pass();
  expect(session.chat.messages.map(({ id }) => id)).toEqual(['u0', 'a1']);
  expect([session.pages.value.earlier, session.pages.value.loadingEarlier]).toEqual([undefined, false]);
});

test('of many sessions the idle ones are closed that were not looked at for longest', async () => {
  const busy = await sent();
  const sessions = Array.from({ length: 20 }, (_, i) => server.sessions.get(`s${i}`, { isNew: true }));
  expect(server.sessions.get('s')).toBe(busy);
  expect(server.sessions.get('s19')).toBe(sessions[19]);
  expect(server.sessions.get('s0', { isNew: true })).not.toBe(sessions[0]);
});
