import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass, ScriptedServer } from '../api/scripted.ts';
import type { Message } from './message.ts';
import { openQuestions, questionsIn } from './questions.ts';
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

const call = (id: string) => [
  { type: 'tool-input-start', toolCallId: id, toolName: 'write_file', providerExecuted: true },
  { type: 'tool-input-available', toolCallId: id, toolName: 'write_file', input: {}, providerExecuted: true },
];
const ask = (id: string) => [
  { type: 'tool-approval-request', approvalId: `ask_${id}`, toolCallId: id },
  { type: 'data-approval', id: `ask_${id}`, data: { toolCallId: id, action: 'fs_write', preview: `${id}.txt` } },
];
const decided = (id: string, approved: boolean) => [
  { type: 'tool-approval-response', approvalId: `ask_${id}`, approved },
  { type: 'data-approval', id: `ask_${id}`, data: { toolCallId: id, action: 'fs_write', preview: `${id}.txt`, approved } },
];
const start = [{ type: 'start', messageId: 'a1', messageMetadata: { createdAt: 1 } }, { type: 'start-step' }];
const pause = [{ type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls', messageMetadata: { stopReason: 'paused' } }];
const asking = [...start, ...call('c1'), ...call('c2'), ...ask('c1'), ...ask('c2')];
const over = [
  { type: 'tool-output-available', toolCallId: 'c1', output: 'written' },
  { type: 'tool-output-denied', toolCallId: 'c2' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop', messageMetadata: { stopReason: 'end_turn', finishedAt: 2 } },
];

const frames = () => server.socket.frames.map(frame => frame.type);
const open = (session: OpenSession) => openQuestions(session.chat.lastMessage).map(({ id }) => id);
const notice = (type: string) => server.socket.say({ type: 'session', requestId: '', sessionId: 's', event: { type } });

/** A session in which something was asked, and two calls wait for the person. */
async function asked(): Promise<OpenSession> {
  const session = server.sessions.get('s', { isNew: true });
  session.draft.edit('Hi');
  void session.send();
  await pass();
  server.socket.answer([...asking, ...pause]);
  await pass();
  return session;
}

/** Lets the server have the answer as it is after these decisions. */
function stored(session: OpenSession, ...decisions: [call: string, approved: boolean][]): void {
  const messages = structuredClone(session.chat.messages) as Message[];
  for (const part of messages.at(-1)!.parts) {
    const decision = part.type === 'tool-write_file' && decisions.find(([id]) => id === part.toolCallId);
    if (decision) Object.assign(part, { state: 'approval-responded', approval: { id: `ask_${decision[0]}`, approved: decision[1] } });
  }
  server.answers.set('POST /load-session', () => ({ session_id: 's', messages, pending: [], queue: [], branches: {} }));
}

describe('§6 A paused turn', () => {
  test('is neither running nor cut off: nothing is asked for until it goes on', async () => {
    const session = await asked();
    expect(open(session)).toEqual(['ask_c1', 'ask_c2']);
    expect([session.isBusy, session.isPaused, session.isTruncated, session.value.cut]).toEqual([false, true, false, false]);
    stored(session);
    await session.sync();
    expect(frames()).toEqual(['send']);
  });

  test('§6 Several may be open at once, each answered by id, the last one first', async () => {
    const session = await asked();
    server.answers.set('POST /approvals/ask_c2', () => ({ sessionId: 's', resumed: false }));
    stored(session, ['c2', false]);
    await session.questions.answer('ask_c2', { approved: false });
    notice('agent:approval_resolved');
    await pass();
    expect(open(session)).toEqual(['ask_c1']);
    expect(frames(), 'it waits for the other').toEqual(['send']);

    server.answers.set('POST /approvals/ask_c1', () => ({ sessionId: 's', resumed: true }));
    stored(session, ['c2', false], ['c1', true]);
    await session.questions.answer('ask_c1', { approved: true });
    notice('agent:approval_resolved');
    notice('session:turn_resumed');
    await pass();
    expect(frames()).toEqual(['send', 'resume']);
    server.socket.answer([...asking, ...decided('c2', false), ...decided('c1', true), ...over]);
    await pass();
    expect(session.chat.messages).toHaveLength(2);
    expect(session.chat.lastMessage).toMatchObject({ id: 'a1', metadata: { stopReason: 'end_turn' } });
    expect([open(session), session.isPaused, session.isTruncated]).toEqual([[], false, false]);
  });

  test('that goes on before this window saw its pause is not missed', async () => {
    const session = server.sessions.get('s', { isNew: true });
    session.draft.edit('Hi');
    void session.send();
    await pass();
    server.socket.answer([...asking], { ends: false });
    await pass();
    notice('session:turn_resumed'); // answered elsewhere, while this stream is not at its end
    stored(session, ['c1', true], ['c2', true]);
    const { requestId } = server.socket.frames[0]!;
    pause.forEach((chunk, i) => server.socket.say({ type: 'chunk', requestId, sequence: asking.length + i, chunk }));
    server.socket.say({ type: 'end', requestId });
    await pass();
    expect(frames()).toEqual(['send', 'resume']);
  });

  test('is stopped like any other', async () => {
    const session = await asked();
    server.answers.set('POST /messages/s/stop', () => ({ stopped: 'confirmed' }));
    await session.stop();
    expect([server.asked.at(-1), session.value.stopping]).toEqual(['POST /messages/s/stop', false]);
  });
});

test('an answer that cannot be stored says so, and can be given again; one that is stored is given once', async () => {
  const session = await asked();
  await session.questions.answer('ask_c1', { approved: true }); // 404
  expect(session.questions.value.problems).toEqual({ ask_c1: 'Nothing.' });
  server.answers.set('POST /approvals/ask_c1', () => ({ sessionId: 's', resumed: false }));
  await session.questions.answer('ask_c1', { approved: true });
  await session.questions.answer('ask_c1', { approved: false });
  expect(server.asked.filter(request => request.includes('approvals'))).toHaveLength(2);
  expect(session.questions.value.problems).toEqual({});
});

test('§6 Client tools: a call that nobody here runs waits, without a question to the person', () => {
  const part = { type: 'tool-locate', toolCallId: 'c1', state: 'input-available', input: {} } as const;
  expect(questionsIn([part])).toEqual(new Map([['c1', { kind: 'client_tool', id: undefined, call: 'c1', tool: 'locate', isOpen: true }]]));
  expect(questionsIn([{ ...part, providerExecuted: true }]).size).toBe(0);
});

test('§4 interaction_request: input is asked for by the part beside its call, until that has an output', () => {
  const asks = { toolCallId: 'c1', question: 'Which?', options: ['a'] };
  const request = { type: 'data-input-request', id: 'ask_1', data: asks } as const;
  const part = { type: 'tool-ask', toolCallId: 'c1', input: {}, providerExecuted: true } as const;
  const of = (last: Message['parts'][number]) => questionsIn([last, request]).get('c1');
  expect(of({ ...part, state: 'input-available' })).toMatchObject({ kind: 'input', id: 'ask_1', asks, isOpen: true });
  expect(of({ ...part, state: 'output-available', output: 'a' })).toMatchObject({ isOpen: false });
});
