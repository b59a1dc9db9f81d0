import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, ScriptedServer } from '../api/scripted.ts';
import type { OpenSession } from './session.ts';

let server: ScriptedServer;

beforeEach(async () => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  await server.start();
  server.answers.set('GET /sessions/s', () => ({ id: 's', draft: '', draftFiles: [] }));
  server.answers.set('POST /load-session', page);
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const length = 10;

/** A session of ten messages, of which the server gives two at a time. */
function page(query: URLSearchParams): object {
  const place = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const before = place('before');
  const after = place('after');
  const from = place('around') ?? (after !== undefined ? after + 1 : (before ?? length) - 2);
  const messages = [from, from + 1].map(n => ({ id: String(n), role: 'user', parts: [{ type: 'text', text: `Message ${n}` }] }));
  return { session_id: 's', messages, pending: [], queue: [], branches: {}, earlier: from > 0 ? String(from) : undefined, later: from + 2 < length ? String(from + 1) : undefined };
}

/** The numbers of the messages that are shown. */
const shown = (session: OpenSession) => session.pages.shown.map(({ id }) => id).join(' ');

async function opened(): Promise<OpenSession> {
  const session = server.sessions.get('s');
  await pass();
  return session;
}

test('a message far back is shown without what is in between, and from it both ways can be gone', async () => {
  const session = await opened();
  await session.show('2');
  expect([shown(session), session.pages.value.goal]).toEqual(['2 3', '2']);
  expect(session.chat.messages.map(({ id }) => id), 'the end is still there').toEqual(['8', '9']);
  await session.pages.loadEarlier();
  expect(shown(session)).toBe('0 1 2 3');
  await session.pages.loadLater();
  expect(shown(session)).toBe('0 1 2 3 4 5');
  expect(session.pages.value.past).toBeDefined();
  await session.pages.loadLater();
  const { place } = session.pages.value;
  await session.pages.loadLater();
  expect(shown(session), 'it met the end').toBe('0 1 2 3 4 5 6 7 8 9');
  expect([session.pages.value.past, session.pages.value.earlier, session.pages.value.place]).toEqual([undefined, undefined, place]);
});

test('a message that is here is not loaded again', async () => {
  const session = await opened();
  const asked = server.asked.length;
  await session.show('8');
  expect([session.pages.value.goal, session.pages.value.past, server.asked.length]).toEqual(['8', undefined, asked]);
  session.pages.reached();
  expect(session.pages.value.goal).toBeUndefined();
});

test('a session that is just being opened is waited for', async () => {
  const session = server.sessions.get('s');
  void session.show('4');
  await pass();
  expect(shown(session)).toBe('4 5');
});

test('the way back is the end as it was', async () => {
  const session = await opened();
  await session.show('2');
  const { place } = session.pages.value;
  session.pages.toEnd();
  expect([shown(session), session.pages.value.earlier, session.pages.value.place]).toEqual(['8 9', '8', place + 1]);
});

test('what is sent is sent at the end', async () => {
  const session = await opened();
  await session.show('2');
  session.draft.edit('Hi');
  void session.send();
  await pass();
  expect(session.pages.value.past).toBeUndefined();
  expect(session.chat.messages.slice(0, 2).map(({ id }) => id)).toEqual(['8', '9']);
});
