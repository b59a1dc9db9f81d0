import { expect, test } from 'vitest';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import { found } from './find.tsx';

const graph: WorkflowGraph = {
  id: 'w',
  nodes: [
    { id: 'input', type: 'input' },
    { id: 'turn-1', type: 'agent', agent_ref: 'reviewer', prompt_template: 'Write a Changelog.', tools: ['read_file'] },
    { id: 'ask', type: 'human_gate', gate_type: 'approval', message_template: 'Is the changelog right?' },
    { id: 'write', type: 'input' },
  ],
  edges: [],
};

test.each([
  ['changelog', ['turn-1', 'ask']],
  ['CHANGELOG write', ['turn-1']],
  ['read_file', ['turn-1']],
  ['gate', ['ask']], // as it is called on the screen
  ['turn', ['turn-1']],
  ['write', ['write', 'turn-1']], // first what is called so
  ['nowhere', []],
  ['  ', []],
])('“%s” finds %j', (words, ids) => {
  expect(found(graph, words)).toEqual(ids);
});
