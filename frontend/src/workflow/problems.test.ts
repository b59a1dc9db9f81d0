import { expect, test } from 'vitest';
import type { WorkflowGraph } from '../api/types.gen.ts';
import { placeOf, problemsByNode } from './problems.ts';

const graph: WorkflowGraph = {
  id: 'w',
  nodes: [
    { id: 'input', type: 'input' },
    { id: 'ask', type: 'human_gate', gate_type: 'approval' },
  ],
  edges: [
    { from: 'input', to: 'ask' },
    { from: 'ask:yes', to: 'gone' },
    { from: 'gone', to: 'ask' },
  ],
};

test.each([
  ['workflow.nodes[1].gate_type', { tab: 'node', node: 'ask' }],
  ['workflow.nodes[1]', { tab: 'node', node: 'ask' }],
  ['workflow.nodes[7].id', { tab: 'workflow' }],
  ['workflow.edges[1].to', { tab: 'node', node: 'ask' }],
  ['workflow.edges[2].from', { tab: 'workflow' }],
  ['workflow.agents[0].model', { tab: 'agents' }],
  ['workflow.inputs[0].validation.min', { tab: 'inputs' }],
  ['workflow.context[3].key', { tab: 'inputs' }],
  ['workflow.trigger.schedule', { tab: 'workflow' }],
  ['workflow.nodes', { tab: 'workflow' }],
  [undefined, { tab: 'workflow' }],
])('what is wrong at %s is mended in one place', (key, place) => {
  expect(placeOf(graph, key)).toEqual(place);
});

test('the problems of a node are its own and those of the edges that leave it', () => {
  const [own, edge, other] = ['workflow.nodes[1].id', 'workflow.edges[1].to', 'workflow.id'].map(key => ({ line: 1, column: 1, key, message: key }));
  expect([...problemsByNode(graph, [own!, edge!, other!])]).toEqual([['ask', [own, edge]]]);
});
