import { describe, expect, test } from 'vitest';
import type { FileProblem, WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { links as linksOf } from '../graph/links.ts';
import { cardsOf, edgesOf, faced, shapeOf, type Looks } from './flow.ts';
import { layout } from './layout.ts';

const agents = [{ id: 'reviewer', name: 'Code reviewer', model: 'm-1', provider: 'anthropic', tools: ['read_file'] }];
const input: WorkflowNode = { id: 'input', type: 'input' };
const turn: WorkflowNode = { id: 'turn-1', type: 'agent', agent_ref: 'reviewer', prompt_template: 'Mend the test.\n\nThen say why.' };
const choice: WorkflowNode = {
  id: 'choice',
  type: 'condition',
  expression: 'true',
  branches: [
    { when: true, target_node: 'right' },
    { when: false, target_node: '' },
    { when: 'x', target_node: 'left' },
  ],
};
const left: WorkflowNode = { id: 'left', type: 'output' };
const right: WorkflowNode = { id: 'right', type: 'output' };
const chain = [
  { from: 'input', to: 'turn-1' },
  { from: 'turn-1', to: 'choice', label: 'done' },
];

function graph(nodes: WorkflowNode[], edges = chain): WorkflowGraph {
  return { id: 'w', agents, nodes, edges };
}

function drawn(of: WorkflowGraph, more: Partial<Looks> = {}, before: ReturnType<typeof cardsOf> = []) {
  const [boxes, links] = [faced(of), linksOf(of)];
  const looks = { layout: layout(boxes, links), selected: [], current: undefined, problems: [], ...more };
  return cardsOf(of, boxes, links, looks, before);
}

const whole = graph([input, turn, choice, left, right]);

const says = (node: WorkflowNode) => faced(graph([node]))[0]!.face.lines.map(line => line.text);

describe('what a card says', () => {
  test.each<[string, WorkflowNode, string[]]>([
    ['an agent, with its own of what it does not say', turn, ['Code reviewer', 'm-1 · anthropic', '1 tool: read_file', 'Mend the test. Then say why.']],
    ['one with a model and tools of its own', { id: 'a', type: 'agent', agent_ref: 'reviewer', model: 'm-2', tools: ['a', 'b'] }, ['Code reviewer', 'm-2 · anthropic', '2 tools: a, b']],
    ['one whose agent is not there', { id: 'a', type: 'agent', agent_ref: 'gone' }, ['gone']],
    ['one that has none yet', { id: 'a', type: 'agent', agent_ref: '' }, ['No agent chosen']],
    ['a condition', choice, ['true']],
    ['a transform that is not written', { id: 'a', type: 'transform', transform: ' ' }, ['No expression yet']],
    ['a parallel', { id: 'a', type: 'parallel', parallel_of: ['x', 'y'] }, ['2 nodes run at once']],
    ['a merge', { id: 'a', type: 'merge', merge_strategy: 'custom', merge_fn: 'a + b' }, ['By an expression', 'a + b']],
    ['a gate', { id: 'a', type: 'human_gate', gate_type: 'review', assignee: 'you', message_template: 'Look.' }, ['Waits for a review from you', 'Look.']],
    ['an output', { id: 'a', type: 'output', output_format: 'json', save_to: 'x.json' }, ['As json', 'Saved to x.json']],
    ['an input', input, ['Begins here']],
    ['what no node is', { id: 'a', type: 'merge', merge_strategy: 'constructor' } as unknown as WorkflowNode, ['constructor']],
  ])('%s', (_, node, lines) => {
    expect(says(node)).toEqual(lines);
  });

  test('what is written at length takes no more than two lines, and costs no more than they do', () => {
    const [box] = faced(graph([{ ...turn, prompt_template: 'word '.repeat(100_000) } as WorkflowNode]));
    expect(box!.face.lines.at(-1)).toMatchObject({ rows: 2 });
    expect(box!.face.lines.at(-1)!.text.length).toBeLessThan(300);
  });
});

describe('cards', () => {
  test('are read from the top down, and named with what they come after', () => {
    const names = drawn(graph([right, left, choice, turn, input])).map(card => card.ariaLabel);
    expect(names.slice(0, 3)).toEqual(['Input input', 'Agent turn-1, after input', 'Condition choice, after turn-1']);
  });

  test('have what is wrong with their node', () => {
    const problems: FileProblem[] = [{ line: 1, column: 1, key: 'workflow.nodes[1].agent_ref', message: 'There is no such agent.' }];
    const card = drawn(whole, { problems }).find(({ id }) => id === 'turn-1')!;
    expect(card.data.problems).toEqual(['There is no such agent.']);
    expect(card.ariaLabel).toBe('Agent turn-1, after input, 1 problem');
    expect(card.domAttributes).toHaveProperty('aria-describedby');
  });

  test('only one is led to by Tab', () => {
    const cards = drawn(whole, { current: 'choice' });
    expect(cards.filter(card => card.domAttributes?.tabIndex === 0).map(({ id }) => id)).toEqual(['choice']);
  });

  test('the ways on from a condition are in the order of where they lead, those that lead nowhere last', () => {
    const cards = drawn(whole);
    const x = (id: string) => cards.find(card => card.id === id)!.position.x;
    const ways = cards.find(({ id }) => id === 'choice')!.data.face.outs.map(({ label }) => label);
    expect(ways).toEqual(x('left') < x('right') ? ['x', 'true', 'false', 'default'] : ['true', 'x', 'false', 'default']);
  });

  test('of two nodes with one id the first is shown', () => {
    expect(drawn(graph([input, turn, { ...left, id: 'turn-1' }])).map(({ id, data }) => [id, data.type])).toEqual([
      ['input', 'input'],
      ['turn-1', 'agent'],
    ]);
  });

  test('are the same objects while nothing of them changes', () => {
    const before = drawn(whole);
    const after = drawn(graph([input, { ...turn, temperature: 1 }, choice, left, right]), { selected: ['left'] }, before);
    expect(after.map((card, n) => card === before[n])).toEqual(before.map(({ id }) => id !== 'left'));
  });
});

const shape = (of: WorkflowGraph) => shapeOf(faced(of), linksOf(of));
const other = (prompt_template: string) => graph([input, { ...turn, prompt_template } as WorkflowNode, choice, left, right]);

test('where nodes are does not depend on what is written in them, unless it needs another line', () => {
  expect(shape(other('Else.'))).toBe(shape(whole));
  expect(shape(other('Else, and so much of it that it cannot be in one line.'))).not.toBe(shape(whole));
});

test('edges leave a condition by their ways, have the labels of the file, and are the same objects while nothing changes', () => {
  const links = linksOf(whole);
  const placed = layout(faced(whole), links);
  const edges = edgesOf(links, placed, new Set(), []);
  expect(edges.map(({ source, sourceHandle, target, label }) => [source, sourceHandle, target, label])).toEqual(
    expect.arrayContaining([
      ['choice', '0', 'right', undefined],
      ['choice', '2', 'left', undefined],
      ['turn-1', null, 'choice', 'done'],
    ]),
  );
  const again = edgesOf(links, placed, new Set([edges[0]!.id]), edges);
  expect(again.map((edge, n) => edge === edges[n])).toEqual(edges.map((_, n) => n !== 0));
});
