import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, refusal, ScriptedServer } from '../../api/scripted.ts';
import type { WorkflowAgentNode, WorkflowGraph, WorkflowOrigin } from '../../api/types.gen.ts';
import { ParleyContext, type Parley } from '../../parley.ts';
import { Editor } from '../editor.ts';
import { placeOfTurn } from './back.tsx';
import { OriginOf } from './origin.tsx';
import { originOf } from './origins.ts';
import { originText as said } from './text.ts';

const turn = (n: number, prompt: string): WorkflowAgentNode => ({ id: `turn-${n}`, type: 'agent', agent_ref: 'a', prompt_template: prompt });

const graphOf = (...nodes: WorkflowAgentNode[]): WorkflowGraph => ({ id: 'w', nodes, edges: [] });

const origin = (n: number, prompt: string, tools: string[] = []): WorkflowOrigin => ({ node: `turn-${n}`, session: 's', message: `u${n}`, prompt, answer: `**Answer** ${n}`, tools });

const origins = [origin(1, 'One'), origin(2, 'Put {{this}} here'), origin(3, 'A long st…')];

test.each<[string, WorkflowAgentNode, WorkflowAgentNode[], string | undefined]>([
  ['by its id', turn(1, 'Written anew'), [], 'turn-1'],
  ['by what it asks, as the export wrote it, if it has another id', { ...turn(2, 'Put { {this}} here'), id: 'place' }, [], 'turn-2'],
  ['by the beginning of what it asks, if there is no more', { ...turn(3, 'A long story'), id: 'story' }, [], 'turn-3'],
  ['not if the node with that id is there: it is a copy', { ...turn(1, 'One'), id: 'copy' }, [turn(1, 'One')], undefined],
  ['not if it asks something else', { ...turn(1, 'Two'), id: 'other' }, [], undefined],
  ['not if it asks nothing', { ...turn(1, ''), id: 'other' }, [], undefined],
])('where a node came from is known %s', (_, node, others, expected) => {
  expect(originOf([...origins, origin(4, '')], node, graphOf(node, ...others))?.node).toBe(expected);
});

test('a node of another kind came from no turn', () => {
  const node = { id: 'turn-1', type: 'input' } as const;
  expect(originOf(origins, node, { id: 'w', nodes: [node], edges: [] })).toBeUndefined();
});

let server: ScriptedServer;
let root: Root;
let asked: unknown[]; // of the door

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  server = new ScriptedServer();
  asked = [];
  server.answers.set('POST /workflows/origins', (_, body) => (asked.push(body), { origins: [origin(1, 'One', ['read_file']), origin(2, 'A line\n'.repeat(9))] }));
  server.answers.set('GET /sessions/s', () => ({ id: 's' }));
  root = createRoot(document.body.appendChild(document.createElement('div')));
  location.hash = '#canvas/file/w.relavium.yaml';
});

afterEach(async () => {
  await act(() => root.unmount());
  server.end();
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const graph = graphOf(turn(1, 'One'), turn(2, 'A line'), turn(3, 'Three'));

async function show(editor: Editor, at: number): Promise<void> {
  await act(async () => {
    root.render(
      <ParleyContext value={{ client: server.client, open: server.sessions } as Partial<Parley> as Parley}>
        <OriginOf editor={editor} node={editor.value.graph.nodes[at]!} />
      </ParleyContext>,
    );
    await pass();
  });
}

const shown = () => document.body.textContent;
const button = (label: string) => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label);

test('a node shows what was asked, answered and called, and the door is asked once', async () => {
  const editor = new Editor({ graph, metadata: '{"kept":1}' });
  await show(editor, 0);
  expect(shown()).toBe(`${said.title}${said.asked}One${said.answered}Answer 1${said.tools}read_file${said.show}`);
  expect(document.querySelector('strong')!.textContent).toBe('Answer');
  await act(() => root.render(null));
  await show(editor, 1);
  expect(shown()).toContain(said.more);
  await show(editor, 2);
  expect(shown()).toBe('');
  expect(asked).toEqual([{ metadata: '{"kept":1}' }]);
});

test('a workflow that was no session asks nobody', async () => {
  await show(new Editor({ graph, metadata: '' }), 0);
  expect([shown(), asked]).toEqual(['', []]);
});

test('the transcript is one click away, and so is the node from there', async () => {
  await show(new Editor({ graph, metadata: '{}' }), 0);
  const goals: unknown[] = [];
  server.answers.set('POST /load-session', query => (goals.push(query.get('around')), { messages: [], branches: {} }));
  await act(async () => {
    button(said.show)!.click();
    await pass();
  });
  expect([location.hash, history.state]).toEqual(['#/s', { canvas: '#canvas/file/w.relavium.yaml?node=turn-1' }]);
  expect(goals).toContain('u1');
});

test('of a session that is gone there is what the file kept', async () => {
  server.answers.set('GET /sessions/s', () => refusal(404, 'not_found', 'There is no such session.'));
  await show(new Editor({ graph, metadata: '{}' }), 0);
  expect(shown()).toContain(said.gone);
  expect(shown()).toContain('Answer 1');
  expect(button(said.show)).toBeUndefined();
});

test('why nothing could be read is said, and the next look asks again', async () => {
  const editor = new Editor({ graph, metadata: '{}' });
  server.answers.set('POST /workflows/origins', () => refusal(500, 'unknown', 'It broke.'));
  await show(editor, 0);
  expect(shown()).toBe(said.failed('It broke.'));
  server.answers.set('POST /workflows/origins', () => ({ origins: [origin(1, 'One')] }));
  await act(() => root.render(null));
  await show(editor, 0);
  expect(shown()).toContain('Answer 1');
});

test('a turn leads to its node, in the file that its session was saved as', async () => {
  const checked = { graph: graphOf(turn(1, 'One'), { ...turn(2, 'A line\n'.repeat(9)), id: 'lines' }), metadata: '{}' };
  server.answers.set('GET /workflows', () => ({ folder: '/home/me/garden', files: [{ path: 'w.relavium.yaml' }, { path: 'workflows/s.relavium.yaml' }] }));
  server.answers.set('GET /workflows/file', query => ({ path: query.get('path'), checked }));
  const place = (before: string[], savedAs: string) => placeOfTurn(server.client, 's', before, savedAs);
  expect(await place(['u1', 'a1', 'u2'], '/home/me/garden/workflows/s.relavium.yaml')).toEqual({ file: 'workflows/s.relavium.yaml', node: 'lines' });
  expect(await place(['u1', 'unanswered'], 'C:\\garden\\w.relavium.yaml')).toEqual({ file: 'w.relavium.yaml', node: 'turn-1' });
  expect(await place([], 'w.relavium.yaml')).toEqual({ file: 'w.relavium.yaml', node: undefined });
  expect(await place(['u1'], '/home/me/elsewhere.relavium.yaml')).toEqual({ session: 's' });
});
