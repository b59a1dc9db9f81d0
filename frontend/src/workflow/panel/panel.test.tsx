import { act, createRef } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FileProblem, WorkflowAgentNode, WorkflowConditionNode, WorkflowGraph } from '../../api/types.gen.ts';
import { ScriptedServer } from '../../api/scripted.ts';
import { ParleyContext, type Parley } from '../../parley.ts';
import { Editor } from '../editor.ts';
import { offersFor } from './insert.tsx';
import { Panel, type PanelHandle, type PanelTab } from './panel.tsx';
import { changed } from './take_back.ts';
import { panelText } from './text.ts';

const said = panelText.fields;

const graph: WorkflowGraph = {
  id: 'review',
  inputs: [{ name: 'diff', type: 'code_diff' }, { name: 'key', type: 'secret' }],
  context: [{ key: 'style', value: 'brief' }],
  agents: [
    { id: 'reader', model: 'm', provider: 'openai', system_prompt: 'Read.', tools: ['read_file', 'git_diff'] },
    { id: 'spare', model: 'm', provider: 'openai', system_prompt: 'Wait.' },
  ],
  nodes: [
    { id: 'input', type: 'input' },
    { id: 'read', type: 'agent', agent_ref: 'reader', temperature: 0.5, tools: ['read_file'] },
    { id: 'good', type: 'condition', expression: 'run.outputs["read"].ok', branches: [{ when: true, target_node: 'output' }, { when: 'no', target_node: 'again' }] },
    { id: 'again', type: 'agent', agent_ref: 'reader', prompt_template: 'Not good: {{ run.outputs["read"] }}' },
    { id: 'output', type: 'output' },
  ],
  edges: [{ from: 'input', to: 'read' }, { from: 'read', to: 'good' }, { from: 'good:no', to: 'again' }, { from: 'again', to: 'output' }],
};

let root: Root;
let editor: Editor;
const panel = createRef<PanelHandle>();

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  editor = new Editor({ graph, metadata: '' });
  root = createRoot(document.body.appendChild(document.createElement('div')));
  await act(async () =>
    root.render(
      <ParleyContext value={{ client: new ScriptedServer().client } as Partial<Parley> as Parley}>
        <Panel editor={editor} ref={panel} />
      </ParleyContext>,
    ),
  );
});

afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Box = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const select = (...ids: string[]) => act(async () => editor.select(ids));

/** Does something, and lets the focus go where it is led once that is shown. */
async function lead(what: () => void) {
  await act(async () => what());
  await act(async () => void vi.advanceTimersToNextFrame());
}

const show = (tab: PanelTab) => lead(() => panel.current!.show(tab));
const box = (key: string) => document.getElementById(`workflow.${key}`) as Box;
const node = (id: string) => editor.value.graph.nodes.find(each => each.id === id);
const says = (element: Element) => (element.getAttribute('aria-describedby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent).join(' ');

const button = (label: string) => [...document.querySelectorAll('button')].find(each => (each.getAttribute('aria-label') ?? each.textContent.trim()) === label)!;
const press = (label: string) => lead(() => button(label).click());
const follow = (n: number) => lead(() => document.querySelectorAll<HTMLButtonElement>('[role=tabpanel] li button')[n]!.click());

/** Puts text into a box as typing does: React is asked by the event, not by the value. */
function type(key: string, text: string) {
  return act(async () => {
    const element = box(key);
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element) as object, 'value')!.set!.call(element, text);
    element.dispatchEvent(new Event(element instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
  });
}

function choose(menu: HTMLSelectElement, option: string) {
  menu.value = option;
  menu.dispatchEvent(new Event('change', { bubbles: true }));
}

const branches = () => (node('good') as WorkflowConditionNode).branches.map(branch => branch.when);
const tab = () => document.querySelector<HTMLElement>('[aria-selected=true]')!;

/** Has the door have found something. */
const find = (problems: FileProblem[]) => act(async () => editor.checked(editor.value.unchecked!, { source: '', metadata: '', hasComments: false, problems }));

test('what is typed into a field is one step, a cleared field is gone, and undo shows what was there', async () => {
  await select('again');
  for (const text of ['', 'S', 'So', 'So?']) await type('nodes[3].prompt_template', text);
  expect(node('again')).toMatchObject({ prompt_template: 'So?' });
  await act(async () => editor.undo());
  expect(box('nodes[3].prompt_template').value).toBe('Not good: {{ run.outputs["read"] }}');
  await type('nodes[3].prompt_template', '');
  expect(node('again')).not.toHaveProperty('prompt_template');
});

test('a number that is none stays in its field, and the workflow keeps what it had', async () => {
  await select('read');
  await type('nodes[1].temperature', '0.5x');
  const { temperature } = node('read') as WorkflowAgentNode;
  expect(temperature).toBe(0.5);
  expect(box('nodes[1].temperature').getAttribute('aria-invalid')).toBe('true');
  expect(says(box('nodes[1].temperature'))).toContain(panelText.refused.number);
  await select('again');
  expect(box('nodes[3].temperature').value).toBe('');
  await select('read');
  expect(box('nodes[1].temperature').value).toBe('0.5x');
  await type('nodes[1].temperature', '');
  expect(node('read')).not.toHaveProperty('temperature');
  expect(box('nodes[1].temperature').hasAttribute('aria-invalid')).toBe(false);
});

test('a schema is taken when it can be read, and what is typed is never written over', async () => {
  await select('read');
  await type('nodes[1].output_schema', '{"type":');
  expect(node('read')).not.toHaveProperty('output_schema');
  await type('nodes[1].output_schema', '{"type":"object"}');
  expect(node('read')).toMatchObject({ output_schema: { type: 'object' } });
  expect(box('nodes[1].output_schema').value).toBe('{"type":"object"}');
});

test('keys in the panel take back what was done, not only what was typed', async () => {
  await select('read');
  await type('nodes[1].agent_ref', 'spare');
  const pressed = new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, cancelable: true });
  await act(async () => void box('nodes[1].agent_ref').dispatchEvent(pressed));
  expect(node('read')).toMatchObject({ agent_ref: 'reader' });
  expect(pressed.defaultPrevented).toBe(true);
  await act(async () => void box('nodes[1].agent_ref').dispatchEvent(new KeyboardEvent('keydown', { key: 'Z', ctrlKey: true, shiftKey: true, bubbles: true })));
  expect(node('read')).toMatchObject({ agent_ref: 'spare' });
});

test('what is saved by keys has the id that was typed last', async () => {
  await select('read');
  await type('nodes[1].id', 'look');
  await act(async () => void box('nodes[1].id').dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true, cancelable: true })));
  expect(node('look')).toMatchObject({ agent_ref: 'reader' });
});

test('keys leave to the field what only the field has', async () => {
  await select('read');
  await type('nodes[1].agent_ref', 'spare');
  await type('nodes[1].id', 'rea');
  const pressed = new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, cancelable: true });
  await act(async () => void box('nodes[1].id').dispatchEvent(pressed));
  expect(pressed.defaultPrevented).toBe(false);
  expect(node('read')).toMatchObject({ agent_ref: 'spare' });
});

test('after undo the caret is where the text changed', async () => {
  await select('again');
  await type('nodes[3].prompt_template', 'Not at all good: {{ run.outputs["read"] }}');
  await lead(() => box('nodes[3].prompt_template').dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true })));
  const { value, selectionStart } = box('nodes[3].prompt_template') as HTMLTextAreaElement;
  expect([value, selectionStart]).toEqual(['Not good: {{ run.outputs["read"] }}', 'Not'.length]);
  expect([changed('abc', 'abXc'), changed('aa', 'a'), changed('', 'new'), changed('old', '')]).toEqual([3, 0, 3, 0]);
});

test('a node is renamed when the person is done, everywhere, and stays selected', async () => {
  await select('read');
  const submit = () => act(async () => box('nodes[1].id').form!.requestSubmit());
  for (const [id, why] of [['Read', panelText.refused.kebab], ['', panelText.refused.kebab], ['good', panelText.refused.taken('good')]] as const) {
    await type('nodes[1].id', id);
    await submit();
    expect(says(box('nodes[1].id'))).toContain(why);
    expect(editor.value.graph).toBe(graph);
  }
  await type('nodes[1].id', 'look');
  expect(editor.value.graph).toBe(graph);
  await submit();
  expect(editor.value.graph.edges.slice(0, 2)).toEqual([{ from: 'input', to: 'look' }, { from: 'look', to: 'good' }]);
  expect(node('good')).toMatchObject({ expression: 'run.outputs["look"].ok' });
  expect(node('again')).toMatchObject({ prompt_template: 'Not good: {{ run.outputs["look"] }}' });
  expect(editor.value.selected).toEqual(['look']);
  expect(box('nodes[1].id').value).toBe('look');
});

test('nodes follow an agent that is renamed, and keep one that they use', async () => {
  await show('agents');
  await type('agents[0].id', 'looker');
  await act(async () => box('agents[0].id').form!.requestSubmit());
  expect(editor.value.graph.nodes.flatMap(each => (each.type === 'agent' ? [each.agent_ref] : []))).toEqual(['looker', 'looker']);
  const [first, second] = [1, 2].map(n => panelText.remove(panelText.lists.agents.one(n))) as [string, string];
  expect(button(first).disabled).toBe(true);
  expect(document.body.textContent).toContain(panelText.used(['read', 'again']));
  await press(second);
  expect(editor.value.graph.agents!.map(agent => agent.id)).toEqual(['looker']);
});

test('an agent that is added is one that a node names and the file does not have, and is open', async () => {
  await act(async () => editor.change('', before => ({ ...before, agents: [] })));
  await show('agents');
  for (const id of ['reader', 'agent-1', 'agent-2']) {
    await press(panelText.adds.agent);
    const agents = editor.value.graph.agents!;
    expect(agents.at(-1)!.id).toBe(id);
    expect(document.activeElement).toBe(box(`agents[${agents.length - 1}].id`));
    expect(document.activeElement!.closest('details')!.open).toBe(true);
  }
});

test('who takes away a node that is gone on in stays in the list', async () => {
  await act(async () => editor.change('Add', of => ({ ...of, nodes: [...of.nodes, { id: 'both', type: 'parallel', parallel_of: ['read', 'again'] }] })));
  await select('both');
  button(panelText.remove('read')).focus();
  await press(panelText.remove('read'));
  expect(node('both')).toMatchObject({ parallel_of: ['again'] });
  expect(box('nodes[5].parallel_of').contains(document.activeElement)).toBe(true);
});

test('a branch is true, false, a text or a number; it can be moved, added and removed', async () => {
  await select('good');
  await press(panelText.move.up(panelText.lists.branches.one(2)));
  expect(branches()).toEqual(['no', true]);
  expect(document.getElementById('workflow.nodes[2].branches[0]')!.contains(document.activeElement)).toBe(true);
  await press(panelText.adds.branch);
  expect(branches()).toEqual(['no', true, '']);
  await lead(() => choose(document.getElementById('workflow.nodes[2].branches[2]')!.querySelector('select')!, 'number'));
  await type('nodes[2].branches[2].when', '4.5');
  await type('nodes[2].branches[2].when', '4.5.');
  expect(branches()).toEqual(['no', true, 4.5]);
  await press(panelText.remove(panelText.lists.branches.one(1)));
  expect(branches()).toEqual([true, 4.5]);
  expect(editor.value.graph.edges.some(edge => edge.from === 'good:no')).toBe(false);
});

test('a node has some of its agent’s tools; one that the agent does not have is there to be taken away', async () => {
  await act(async () => editor.change('', before => ({ ...before, agents: before.agents!.map(agent => ({ ...agent, tools: ['git_diff'] })) })));
  await select('read');
  const checks = [...document.querySelectorAll<HTMLInputElement>('[id="workflow.nodes[1].tools"] input')];
  expect(checks.map(check => [check.parentElement!.textContent, check.checked])).toEqual([['git_diff', false], ['read_file', true]]);
  await act(async () => checks[1]!.click());
  expect(node('read')).not.toHaveProperty('tools');
});

test('what is wrong is said at its field, and leads there from the list', async () => {
  await find([{ line: 4, column: 7, key: 'workflow.nodes[1].retry.max', message: 'Too few.' }, { line: 9, column: 7, key: 'workflow.agents[1].model', message: 'Empty.' }]);
  await show('problems');
  await act(async () => editor.change('', before => ({ ...before, nodes: before.nodes.map(each => (each.id === 'read' ? { ...each, retry: { max: 0, backoff: 'linear' } } : each)) as WorkflowGraph['nodes'] })));
  await follow(0);
  expect(editor.value.selected).toEqual(['read']);
  expect(document.activeElement).toBe(box('nodes[1].retry.max'));
  expect(says(box('nodes[1].retry.max'))).toBe('Too few.');
  expect(box('nodes[1].retry.max').closest('details')!.open).toBe(true);
  await show('problems');
  await follow(1);
  expect(document.activeElement).toBe(box('agents[1].model'));
  await find([{ line: 1, column: 1, key: 'workflow.nodes[1].retry', message: 'Wrong.' }, { line: 1, column: 1, key: 'workflow.edges[1].to', message: 'Nowhere.' }]);
  await show('problems');
  await follow(0);
  expect(document.activeElement).toBe(box('nodes[1].retry.max'));
  await show('problems');
  await follow(1);
  expect(document.activeElement!.textContent).toContain('Nowhere.');
});

test('what is wrong with an entry as a whole is said in it, and that it is there is said while it is closed', async () => {
  await find([{ line: 1, column: 1, key: 'workflow.agents[1]', message: 'There twice.' }, { line: 1, column: 1, key: 'workflow.agents[0].tools[1]', message: 'No such tool.' }]);
  await show('agents');
  const entries = [...document.querySelectorAll('[id^="workflow.agents["]:is(li)')];
  expect(entries.map(entry => [entry.querySelector(`summary [aria-label="${panelText.wrong}"]`) !== null, entry.textContent!.includes('There twice.')])).toEqual([
    [true, false],
    [true, true],
  ]);
  expect(says(box('agents[0].tools'))).toContain('No such tool.');
  expect(entries[0]!.textContent!.split('No such tool.')).toHaveLength(2); // its field says so, and nothing else
});

test('a reference is put where the caret is', async () => {
  await select('again');
  const area = box('nodes[3].prompt_template') as HTMLTextAreaElement;
  area.setSelectionRange(3, 4);
  const menu = [...document.querySelectorAll('select')].find(each => each.getAttribute('aria-label') === panelText.insertInto(said.prompt_template[0]))!;
  await lead(() => choose(menu, 'ctx.style'));
  expect(node('again')).toMatchObject({ prompt_template: 'Not{{ ctx.style }}good: {{ run.outputs["read"] }}' });
  expect(document.activeElement).toBe(area);
  expect(area.selectionStart).toBe('Not{{ ctx.style }}'.length);
});

test('what may be filled in has run before, and is no secret', () => {
  expect(offersFor(graph, 3)).toEqual(['inputs.diff', 'ctx.style', 'run.outputs["input"]', 'run.outputs["read"]', 'run.outputs["good"]', 'run.id']);
  expect(offersFor(graph)).toEqual(['inputs.diff', 'ctx.style', 'run.id']);
});

test('arrow keys move between the tabs', async () => {
  const key = (name: string) => act(async () => void tab().dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })));
  await key('ArrowRight');
  expect(tab().textContent).toBe(panelText.tabs.agents);
  expect(document.activeElement).toBe(tab());
  await key('End');
  await key('ArrowRight');
  expect(tab().textContent).toBe(panelText.tabs.node);
});

test('several nodes are not changed by one form, and what is refused is said', async () => {
  await select('input', 'read');
  expect(document.querySelector('[role=tabpanel] input')).toBeNull();
  await press(panelText.node.parallel);
  expect(document.querySelector('[role=tabpanel] [role=status]')!.textContent).not.toBe('');
  await press(panelText.node.remove(2));
  expect(editor.value.graph.nodes.map(each => each.id)).toEqual(['good', 'again', 'output']);
});
