import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass, ScriptedServer } from '../api/scripted.ts';
import type { Message } from './message.ts';
import type { OpenSession } from './session.ts';

let server: ScriptedServer;

beforeEach(async () => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  await server.start();
  server.answers.set('GET /sessions/s', () => ({ id: 's', draft: '', draftFiles: [] }));
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const said = (id: string, text: string): Message => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const answered = (id: string, text: string): Message => ({
  id,
  role: 'assistant',
  metadata: { stopReason: 'end_turn' },
  parts: [{ type: 'step-start' }, { type: 'text', text, state: 'done' }],
});
const answer = (messageId: string) => [
  { type: 'start', messageId, messageMetadata: {} },
  { type: 'start-step' },
  { type: 'text-start', id: 't0' },
  { type: 'text-delta', id: 't0', delta: 'Other' },
  { type: 'text-end', id: 't0' },
  { type: 'finish-step' },
  { type: 'finish', messageMetadata: { stopReason: 'end_turn' } },
];
const ids = (session: OpenSession) => session.pages.shown.map(({ id }) => id);
const first = [said('u1', 'One'), answered('a1', 'First')];
const whole = [...first, said('u2', 'Two'), answered('a2', 'Second')];

const page = (messages: Message[], more: object = {}) => ({ session_id: 's', messages, pending: [], queue: [], branches: {}, ...more });

function stored(messages: Message[], branches: Record<string, string[]> = {}): void {
  server.answers.set('POST /load-session', () => page(messages, { branches }));
}

async function opened(): Promise<OpenSession> {
  stored(whole);
  const session = server.sessions.get('s');
  await pass();
  return session;
}

describe('§7 Editing a sent message', () => {
  test('sends it under its id, with its files, and what followed is not shown any more', async () => {
    const session = await opened();
    const file = { type: 'file', mediaType: 'text/plain', url: '/media/00' } as const;
    const message = { ...whole[0]!, parts: [file, ...whole[0]!.parts] };
    stored([said('u1', 'Uno'), answered('b1', 'Other')], { b1: ['a1', 'b1'] });
    void session.edit(message, 'Uno');
    await pass();
    expect(server.socket.frames.at(-1)).toMatchObject({
      type: 'send',
      trigger: 'submit-message',
      messageId: 'u1',
      messages: [{ id: 'u1', parts: [file, { type: 'text', text: 'Uno' }] }],
    });
    server.socket.answer(answer('b1'));
    await pass();
    expect(ids(session)).toEqual(['u1', 'b1']);
    expect(session.pages.value.branches).toEqual({ b1: ['a1', 'b1'] });
  });

  test('that is refused leaves everything as it was, and gives the words back', async () => {
    const session = await opened();
    void session.edit(whole[0]!, 'Uno');
    await pass();
    server.socket.reply('error', { errorText: 'Busy.' });
    await pass();
    expect(session.chat.messages).toEqual(whole);
    expect([session.draft.value.text, session.value.refusal]).toEqual(['Uno', 'Busy.']);
  });

  test('that was lost on the way gives the words back, too', async () => {
    const session = await opened();
    void session.edit(whole[0]!, 'Uno');
    await pass();
    server.socket.close();
    await pass(500);
    server.socket.accept();
    await pass();
    expect(session.chat.messages).toEqual(whole);
    expect(session.draft.value.text).toBe('Uno');
  });
});

test('§7 regenerating an answer names it, and what followed on it is not shown any more', async () => {
  const session = await opened();
  void session.retry('a1');
  await pass();
  expect(server.socket.frames.at(-1)).toMatchObject({ trigger: 'regenerate-message', messageId: 'a1', messages: [{ id: 'u1' }] });
  server.socket.answer(answer('b1'));
  await pass();
  expect(ids(session)).toEqual(['u1', 'b1']);
});

describe('§7 the person switches between branches', () => {
  test('and sees the one that they chose, to its end', async () => {
    const session = await opened();
    server.answers.set('POST /messages/s/branch', () => new Response(null, { status: 204 }));
    stored([said('u1', 'Uno'), answered('b1', 'Other')], { b1: ['a1', 'b1'] });
    const { place } = session.pages.value;
    await session.choose('b1');
    expect(ids(session)).toEqual(['u1', 'b1']);
    expect(session.pages.value.place, 'the reader stays').toBe(place);
  });

  test('and is told if that cannot be', async () => {
    const session = await opened();
    await session.choose('b1'); // 404
    expect([ids(session), session.value.refusal, session.value.choosing]).toEqual([['u1', 'a1', 'u2', 'a2'], 'Nothing.', false]);
  });

  test('and is taken to a branch that is longer than what is loaded of it', async () => {
    const session = await opened();
    server.answers.set('POST /messages/s/branch', () => new Response(null, { status: 204 }));
    server.answers.set('POST /load-session', query =>
      query.has('around') ? page([said('u1', 'Uno'), answered('b1', 'Other')], { later: 'b1' }) : page([said('u9', 'Far'), answered('b9', 'off')], { earlier: 'u9' }),
    );
    await session.choose('b1');
    expect(ids(session)).toEqual(['u1', 'b1']);
    expect(session.pages.value.goal).toBe('b1');
  });
});
