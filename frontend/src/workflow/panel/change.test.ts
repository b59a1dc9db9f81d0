import { expect, test } from 'vitest';
import type { WorkflowGraph, WorkflowInput, WorkflowNode, WorkflowTrigger } from '../../api/types.gen.ts';
import { agentsFields } from './agent_fields.ts';
import { change } from './change.ts';
import { nodeFields } from './node_fields.ts';
import { at, keyOf, put, type Path } from './path.ts';
import { rowsOf, type AnyFields } from './row.ts';
import { inputsFields, workflowFields } from './workflow_fields.ts';

const graphOf = (...nodes: WorkflowNode[]): WorkflowGraph => ({ id: 'w', nodes, edges: [] });

/** The table of a list’s entries, or of a group. */
function inner(fields: AnyFields, name: string, of: object, graph = graphOf()): AnyFields {
  const row = new Map(rowsOf(fields, of, graph)).get(name);
  if (row?.kind !== 'group' && row?.kind !== 'list') throw new Error(`${name} is no part of its own`);
  return row.fields;
}

test('a field that is cleared is not there any more, and what else there is stays as it was', () => {
  const graph = graphOf({ id: 'in', type: 'input', label: 'Begin' }, { id: 'out', type: 'output' });
  const changed = change(graph, ['nodes', 0], nodeFields.input, 'label', undefined);
  expect(changed).toStrictEqual(graphOf({ id: 'in', type: 'input' }, { id: 'out', type: 'output' }));
  expect(changed.nodes[1]).toBe(graph.nodes[1]);
});

test('the function of a merge goes with the strategy that it belongs to', () => {
  const graph = graphOf({ id: 'm', type: 'merge', merge_strategy: 'custom', merge_fn: 'a + b' });
  expect(change(graph, ['nodes', 0], nodeFields.merge, 'merge_strategy', 'concat').nodes[0]).toStrictEqual({ id: 'm', type: 'merge', merge_strategy: 'concat' });
});

test('another trigger brings what it has to have, and takes away what only the last one had', () => {
  const trigger: WorkflowTrigger = { type: 'schedule', schedule: '0 9 * * 1' };
  const fields = inner(workflowFields, 'trigger', {});
  const webhook = change({ ...graphOf(), trigger }, ['trigger'], fields, 'type', 'webhook');
  expect(webhook.trigger).toStrictEqual({ type: 'webhook', webhook: { path: '', secret_env: '' } });
  expect(change(webhook, ['trigger'], fields, 'type', 'manual').trigger).toStrictEqual({ type: 'manual' });
});

test('what an input has to be depends on its type, also when that changes', () => {
  const input: WorkflowInput = { name: 'n', type: 'string', validation: { pattern: '^a', min_length: 1, enum: ['a'] } };
  const fields = inner(inputsFields, 'inputs', {});
  const typed = (type: string) => change({ ...graphOf(), inputs: [input] }, ['inputs', 0], fields, 'type', type).inputs![0];
  expect(typed('number')).toStrictEqual({ name: 'n', type: 'number', validation: { enum: ['a'] } });
  expect(typed('boolean')).toStrictEqual({ name: 'n', type: 'boolean' });
  expect(typed('file_path')).toStrictEqual({ ...input, type: 'file_path' });
});

test('memory and servers have what belongs to their kind only', () => {
  const agentFields = inner(agentsFields, 'agents', {});
  const memory = inner(agentFields, 'memory', {});
  const servers = inner(agentFields, 'mcp_servers', {});
  const agent = { id: 'a', memory: { type: 'window', window_size: 9 }, mcp_servers: [{ id: 's', transport: 'stdio', command: 'run', env: { A: '1' } }] };
  const graph: WorkflowGraph = { ...graphOf(), agents: [agent] };
  expect(at(change(graph, ['agents', 0, 'memory'], memory, 'type', 'none'), ['agents', 0, 'memory'])).toStrictEqual({ type: 'none' });
  const server: Path = ['agents', 0, 'mcp_servers', 0];
  expect(at(change(graph, server, servers, 'transport', 'http'), server)).toStrictEqual({ id: 's', transport: 'http', command: 'run' });
});

test('the edge of a branch follows it, and goes when it goes', () => {
  const branches = [
    { when: true, target_node: 'a' },
    { when: 'b', target_node: 'b' },
  ];
  const graph: WorkflowGraph = {
    ...graphOf({ id: 'c', type: 'condition', expression: 'x', branches }, { id: 'a', type: 'output' }, { id: 'b', type: 'output' }),
    edges: [{ from: 'c:true', to: 'a', label: 'yes' }, { from: 'c:b', to: 'b' }],
  };
  const fields = inner(nodeFields.condition, 'branches', {});
  expect(change(graph, ['nodes', 0, 'branches', 0], fields, 'when', 3).edges).toStrictEqual([{ from: 'c:3', to: 'a', label: 'yes' }, { from: 'c:b', to: 'b' }]);
  expect(change(graph, ['nodes', 0, 'branches', 1], fields, 'target_node', 'a').edges[1]).toStrictEqual({ from: 'c:b', to: 'a' });
  expect(change(graph, ['nodes', 0], nodeFields.condition, 'branches', [branches[1]]).edges).toStrictEqual([{ from: 'c:b', to: 'b' }]);
});

test('a key is written as problems name it', () => {
  expect(keyOf(['nodes', 2, 'branches', 0, 'when'])).toBe('workflow.nodes[2].branches[0].when');
});

test('a list loses an entry that is set to nothing', () => {
  expect(put({ all: [1, 2, 3] }, ['all', 1], undefined)).toStrictEqual({ all: [1, 3] });
});
