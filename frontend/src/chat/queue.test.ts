import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import type { OpenSession } from './session.ts';

let server: ScriptedServer;
let stored: string[];

beforeEach(async () => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  await server.start();
  stored = [];
  server.answers.set('GET /messages/s/queue', () => ({ queue: stored.map(queued) }));
  server.answers.set('POST /messages', () => {
    stored.push('Next');
    return { session_id: 's', queued: { number: stored.length, message_id: 'm' } };
  });
});

afterEach(() => {
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const queued = (text: string, i: number) => ({ number: i + 1, at: 0, message: { id: `m${i}`, role: 'user', parts: [{ type: 'text', text }] } });
const waiting = (session: OpenSession) => session.queue.value.waiting.map(({ text }) => text);
const frames = () => server.socket.frames.map(frame => frame.type);
const notice = () => server.socket.say({ type: 'session', requestId: '', sessionId: 's' });

/** A session in which something was sent that has not arrived. */
async function sent(): Promise<OpenSession> {
  const session = server.sessions.get('s', { isNew: true });
  session.draft.edit('Hi');
  void session.send();
  await pass();
  return session;
}

/** A session with a turn that does not end. */
async function busy(): Promise<OpenSession> {
  const session = await sent();
  server.socket.answer([{ type: 'start', messageId: 'a1', messageMetadata: {} }, { type: 'start-step' }], { ends: false });
  await pass();
  return session;
}

describe('§6 Queue and steer: text sent during a turn', () => {
  test('is queued in the order in which it was said, however long a request takes', async () => {
    const session = await busy();
    const replies: (() => void)[] = [];
    server.answers.set('POST /messages', () => new Promise(resolve => replies.push(() => resolve({ session_id: 's', queued: { number: 1, message_id: 'm' } }))));
    for (const words of ['One', 'Two']) {
      session.draft.edit(words);
      void session.send();
      await pass();
    }
    expect(replies.length).toBe(1); // the second is not on its way before the first is stored
    replies[0]!();
    await pass();
    expect(replies.length).toBe(2);
  });

  test('does not overtake what is on its way by the other connection', async () => {
    const session = await sent();
    session.draft.edit('Next');
    void session.send();
    await pass();
    expect(stored).toEqual([]);
    server.socket.answer([{ type: 'start', messageId: 'a1', messageMetadata: {} }], { ends: false });
    await pass();
    expect([stored, waiting(session)]).toEqual([['Next'], ['Next']]);
  });

  test('is queued, too, if what was sent before it was refused', async () => {
    const session = await sent();
    session.draft.edit('Next');
    void session.send();
    await pass();
    server.socket.reply('error', { errorText: 'No.' });
    await pass();
    expect(stored).toEqual(['Next']);
    expect(session.draft.value.text).toBe('Hi');
  });

  test('leaves the queue when the agent hears it in the middle of the turn', async () => {
    const session = await busy();
    session.draft.edit('Next');
    await session.send();
    server.answers.set('POST /messages/s/send-now', () => ({ messageId: 'a1' }));
    await session.sendQueued(1);
    expect(waiting(session)).toEqual(['Next']);
    stored = [];
    server.socket.say({ type: 'session', requestId: '', sessionId: 's', event: { type: 'agent:directive_injected', messageId: 'm' } });
    await pass();
    expect(waiting(session)).toEqual([]);
    expect(session.isBusy).toBe(true);
  });

  test('is queued, and disturbs the turn in nothing', async () => {
    const session = await busy();
    session.draft.edit('Next');
    await session.send();
    expect(waiting(session)).toEqual(['Next']);
    expect([session.isBusy, session.draft.value.text, session.chat.messages.length]).toEqual([true, '', 2]);
    expect(frames()).toEqual(['send']);
  });

  test('comes back if it cannot be stored, with the reason', async () => {
    const session = await busy();
    server.answers.set('POST /messages', () => refusal(503, 'unavailable', 'Full.'));
    session.draft.edit('Next');
    await session.send();
    expect([waiting(session), session.draft.value.text, session.value.refusal]).toEqual([[], 'Next', 'Full.']);
  });

  test('that is to be sent now is queued, and then sent by its number', async () => {
    const session = await busy();
    stored = ['Another'];
    server.answers.set('POST /messages/s/send-now', query => {
      stored.splice(Number(query.get('n')) - 1, 1);
      return { messageId: 'a2' };
    });
    session.draft.edit('Next');
    await session.sendNow();
    expect(waiting(session)).toEqual(['Another']);
    await session.sendNow(); // nothing is written: what waits longest
    expect(waiting(session)).toEqual([]);
  });

  test('changes in every window, whoever changed it; one that went meanwhile says so', async () => {
    const session = await busy();
    stored = ['Elsewhere'];
    notice();
    await pass();
    expect(waiting(session)).toEqual(['Elsewhere']);
    stored = [];
    await session.changeQueued(1, 'In other words'); // 404
    expect(session.draft.value.text).toBe('In other words');
    await session.unqueue(1); // 404
    expect([waiting(session), session.value.refusal]).toEqual([[], 'Nothing.']);
  });
});

test('an older answer does not overtake a newer one', async () => {
  const session = await busy();
  const late = new Promise(resolve => setTimeout(resolve, 100));
  server.answers.set('GET /messages/s/queue', () => late.then(() => ({ queue: [queued('Old', 0)] })));
  void session.queue.refresh();
  await pass();
  server.answers.set('GET /messages/s/queue', () => ({ queue: [queued('New', 0)] }));
  await session.queue.refresh();
  await pass(200);
  expect(waiting(session)).toEqual(['New']);
});
