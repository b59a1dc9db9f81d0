import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import { Answer } from '../chat/answer.tsx';
import type { Message, Part } from '../chat/message.ts';
import type { OpenSession } from '../chat/session.ts';
import { ParleyContext, type Parley } from '../parley.ts';
import { Inbox } from '../inbox/inbox.ts';
import { SessionList } from '../sessions/list.ts';
import { text } from '../ui/text.ts';
import { moment } from './settled.ts';

let server: ScriptedServer;
let session: OpenSession;
let place: HTMLElement;
let leave: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  server = new ScriptedServer();
  await server.start();
  session = server.sessions.get('s', { isNew: true });
});

afterEach(() => {
  leave();
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Shows an answer, and lets so many milliseconds pass. */
async function shown(parts: Part[], milliseconds = moment): Promise<void> {
  const message: Message = { id: 'a1', role: 'assistant', parts };
  place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  leave = () => act(() => root.unmount());
  const parley = { client: server.client, list: new SessionList(server.client, server.wire, server.vault), inbox: new Inbox(server.client, server.wire, server.vault) } as Parley;
  await act(async () => {
    root.render(
      <ParleyContext value={parley}>
        <Answer session={session} message={message} live={false} />
      </ParleyContext>,
    );
  });
  await act(() => pass(milliseconds));
}

const asking = (id: string, rule?: string, secrets?: unknown): Part[] => [
  { type: 'tool-write_file', toolCallId: id, state: 'approval-requested', input: { path: `${id}.txt` }, providerExecuted: true, approval: { id: `ask_${id}` } },
  { type: 'data-approval', id: `ask_${id}`, data: { toolCallId: id, action: 'fs_write', preview: `${id}.txt (1 line)`, ...(rule && { rule }), secrets } },
];
const cards = () => [...place.querySelectorAll<HTMLElement>('[role=group]')];
const labelled = (label: string, at = 0) => [...cards()[at]!.querySelectorAll('button')].find(button => button.textContent!.startsWith(label))!;
const press = (key: string, init: KeyboardEventInit = {}) =>
  act(async () => void document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...init })));
const asked = () => server.asked.filter(request => request.includes('approvals'));

describe('§4 interaction_request: approval', () => {
  test('says what will happen, and how many wait', async () => {
    await shown([...asking('c1'), ...asking('c2')]);
    expect(cards().map(card => card.getAttribute('aria-label'))).toEqual([1, 2].map(n => text.question.label([n, 2])));
    expect(cards()[1]!.textContent).toContain(`${text.question.action('fs_write')}: c2.txt (1 line)`);
  });

  test('names the secrets that the call would be given, and what a wider answer grants', async () => {
    await shown([...asking('c1', 'deploy@1a2b', ['token', 'db']), ...asking('c2', undefined, ['token', 7]), ...asking('c3', 'write_file', 'nonsense')]);
    expect(cards().map(card => [...card.querySelectorAll('ul[aria-labelledby] li')].map(slug => slug.textContent))).toEqual([['token', 'db'], ['token'], []]);
    expect(cards().map(card => card.textContent!.includes(text.allow.grants))).toEqual([true, false, false]);
  });

  test('takes no answer in its first moment: what was meant for something else is no Allow', async () => {
    await shown(asking('c1'), moment - 1);
    expect(labelled(text.question.once).disabled).toBe(true);
    await act(() => pass(1));
    expect(labelled(text.question.once).disabled).toBe(false);
  });

  test('is not answered by the second click of two, meant for the one before it', async () => {
    await shown([...asking('c1'), ...asking('c2')]);
    server.answers.set('POST /approvals/ask_c1', () => ({ sessionId: 's', resumed: false }));
    await act(async () => labelled(text.question.once).click());
    expect(labelled(text.question.once, 1).disabled).toBe(true);
    await act(() => pass(moment));
    expect(labelled(text.question.once, 1).disabled).toBe(false);
    expect(labelled(text.question.once).disabled, 'it was answered').toBe(true);
  });

  test.each([
    ['y', 1],
    ['s', 1],
    ['p', 1],
    ['a', 1],
    ['n', 1],
    ['x', 0],
  ])('the key %s gives %d answers while the card has the focus', async (key, answers) => {
    await shown(asking('c1', 'write_file'));
    await act(async () => session.questions.goTo('ask_c1'));
    expect(document.activeElement).toBe(cards()[0]);
    await press(key);
    expect(asked(), 'the focus has just come').toHaveLength(0);
    await act(() => pass(moment));
    await press(key, { ctrlKey: true });
    expect(asked(), 'a shortcut is something else').toHaveLength(0);
    await press(key);
    expect(asked()).toHaveLength(answers);
  });

  test('shows the rule that a wider answer makes, and offers none where there is no rule', async () => {
    const answers: unknown[] = [];
    server.answers.set('POST /approvals/ask_c1', (_, answer) => {
      answers.push(answer);
      return { sessionId: 's', resumed: false };
    });
    await shown([...asking('c1', 'run_command(git status *)'), ...asking('c2')]);
    expect(cards().map(card => card.textContent!.includes(text.allow.like))).toEqual([true, false]);
    expect(cards()[0]!.textContent).toContain(`${text.allow.like} run_command(git status *)`);
    await act(async () => session.questions.goTo('ask_c2'));
    await act(() => pass(moment));
    for (const key of ['s', 'p', 'a']) await press(key);
    expect(asked(), 'there is nothing wider to allow').toEqual([]);
    await act(async () => labelled(text.allow.scopes.project).click());
    expect(answers).toEqual([{ approved: true, scope: 'project' }]);
  });

  test('a letter of the note is a letter', async () => {
    await shown(asking('c1'));
    await act(() => pass(moment));
    cards()[0]!.querySelector('input')!.focus();
    await press('y');
    expect(asked()).toEqual([]);
  });

  test('that was decided is a call like any other', async () => {
    const [call, manifest] = asking('c1') as [Part, Part];
    await shown([{ ...call, state: 'output-denied', approval: { id: 'ask_c1', approved: false, reason: 'Not there.' } } as Part, manifest]);
    expect(cards()).toEqual([]);
    expect(place.textContent).toBe(`${text.answered}${text.tool.write.denied} c1.txt${text.tool.denied('Not there.')}`);
  });
});

test('§4 interaction_request: input is answered by one of what it offers, or in words', async () => {
  const answers: unknown[] = [];
  server.answers.set('POST /approvals/ask_1', (_, answer) => {
    answers.push(answer);
    return refusal(503, 'unavailable', 'Again.');
  });
  await shown([
    { type: 'tool-ask', toolCallId: 'c1', state: 'input-available', input: {}, providerExecuted: true },
    { type: 'data-input-request', id: 'ask_1', data: { toolCallId: 'c1', question: 'Which?', options: ['This', 'That', 3] } },
  ]);
  expect(cards()[0]!.textContent).toContain('Which?');
  await act(async () => labelled('That').click());
  await act(() => pass(moment));
  const box = cards()[0]!.querySelector('input')!;
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(box, 'Neither');
    box.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await act(async () => cards()[0]!.querySelector('form')!.requestSubmit());
  expect(answers).toEqual([{ output: 'That' }, { output: 'Neither' }]);
});

test('§4 tool_call: a render hint that nobody knows leaves the call its card', async () => {
  await shown([
    { type: 'tool-draw', toolCallId: 'c1', state: 'output-available', input: {}, output: 'drawn', providerExecuted: true },
    { type: 'data-render', id: 'c1', data: { toolCallId: 'c1', render: { as: 'chart' } } },
  ]);
  expect(place.textContent).toBe(`${text.answered}${text.tool.other.done} draw`);
});

test('§4 source-url, source-document: sources stand together, and only addresses that are safe are links', async () => {
  await shown([
    { type: 'source-url', sourceId: 's1', url: 'https://example.org/a', title: 'A page' },
    { type: 'source-url', sourceId: 's2', url: 'javascript:alert(1)' },
    { type: 'source-document', sourceId: 's3', mediaType: 'application/pdf', title: 'A paper', filename: 'paper.pdf' },
  ]);
  const line = place.querySelector('button')!;
  expect(line.textContent).toBe(text.sources(3));
  await act(async () => line.click());
  expect([...place.querySelectorAll('a')].map(link => link.textContent)).toEqual(['A page']);
  expect([...place.querySelectorAll('li')].map(item => item.textContent)).toEqual(['A page', 'javascript:alert(1)', 'A paperpaper.pdf']);
});
