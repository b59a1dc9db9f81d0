import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, ScriptedServer, ScriptedSocket } from './scripted.ts';
import type { SessionNotice } from './types.gen.ts';

let server: ScriptedServer;

beforeEach(() => {
  vi.useFakeTimers();
  server = new ScriptedServer();
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const opened = () => ScriptedSocket.made.length;

test('the token is in a subprotocol, where no log shows it', async () => {
  await server.start();
  expect([server.socket.url, server.socket.protocols]).toEqual(['ws://127.0.0.1:1/socket', ['parley', 'parley.token.key']]);
  expect(server.wire.value.state).toBe('open');
});

test('notices go to who listens, and not to the transport, which has none of its own to find in them', async () => {
  const heard: SessionNotice[] = [];
  server.wire.onNotice(notice => heard.push(notice));
  await server.start();
  const session = server.sessions.get('s', { isNew: true });
  session.draft.edit('Hi');
  void session.send();
  await pass();
  const notice = { type: 'session', requestId: '', sessionId: 's' };
  server.socket.say(notice);
  server.socket.answer([{ type: 'start', messageId: 'a' }, { type: 'finish' }]);
  await pass();
  expect(heard).toEqual([notice]);
  expect(session.chat.status).toBe('ready');
});

test('a notice of agents goes to who asked for it', async () => {
  let heard = 0;
  server.wire.onAgentsNotice(() => heard++);
  await server.start();
  server.socket.say({ type: 'agents', requestId: '' });
  expect(heard).toBe(1);
});

test('a lost connection is tried again, later each time', async () => {
  await server.start();
  server.socket.close();
  await pass();
  expect(server.wire.value.state).toBe('lost');
  const waits: number[] = [];
  for (let tries = opened(); waits.length < 6; tries = opened()) {
    let waited = 0;
    while (opened() === tries) {
      await pass(50);
      waited += 50;
    }
    waits.push(waited);
    server.socket.close();
    await pass();
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 4_000, 4_000]);
});

test('a connection that held begins anew with a short pause', async () => {
  await server.start();
  await pass(60_000);
  server.socket.close();
  await pass(250);
  expect(opened()).toBe(2);
});

test('where the door is now is asked each time', async () => {
  await server.start();
  server.key = 'another';
  server.socket.close();
  await pass(500);
  expect(server.socket.protocols[1]).toBe('parley.token.another');
});

test('a good sign ends the pause', async () => {
  await server.start();
  server.socket.close();
  await pass();
  server.wire.hurry();
  await pass();
  expect(opened()).toBe(2);
});

test('a door that does not know the key is not knocked at again', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ status: { code: 401, type: 'unauthorized', message: 'No.' } }, { status: 401 }));
  void server.wire.run();
  await pass();
  server.socket.close();
  await pass(60_000);
  expect(server.wire.value.state).toBe('locked');
  expect(opened()).toBe(1);
});

test('without a key nobody knocks', async () => {
  server.key = undefined;
  void server.wire.run();
  await pass(60_000);
  expect([server.wire.value.state, opened()]).toEqual(['locked', 0]);
});
