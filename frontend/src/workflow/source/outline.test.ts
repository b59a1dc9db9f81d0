import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { nodeStretches, section } from './outline.ts';

const fixture = (path: string) => readFileSync(resolve(import.meta.dirname, '../../../../backend/workflow/testdata', path), 'utf8');

const found = (file: string) => nodeStretches(file).map(({ id, from, to }) => [id, file.slice(from, to)]);

test('the nodes of a file, as Parley or a person wrote it, are where their ids are', () => {
  const file = fixture('valid/review.golden');
  const nodes = nodeStretches(file);
  expect(nodes.map(({ id }) => id)).toEqual(['input', 'fork', 'careful', 'quick', 'both', 'decide', 'ask', 'report', 'write', 'output']);
  expect(nodeStretches(fixture('valid/review.yaml')).map(({ id }) => id)).toEqual(nodes.map(({ id }) => id));
  for (const { from, to } of nodes) expect(file.slice(from, to)).toMatch(/^- [^]*[^\s]$/);
  expect(file.slice(nodes[1]!.from, nodes[1]!.to)).toBe('- id: fork\n      parallel_of:\n        - careful\n        - quick\n      type: parallel');
});

test('what is under a key ends where the next key of the workflow begins', () => {
  const file = fixture('export/several-turns.golden');
  const metadata = section(file, 'metadata')!;
  expect(file.slice(0, metadata.from)).toMatch(/\n {2}metadata:$/);
  expect(file.slice(metadata.to)).toMatch(/^\n {2}name: Three things\n/);
  expect(section(file, 'budget')).toBeUndefined();
});

test('a file that a person wrote has its nodes, however it is set in', () => {
  expect(found('workflow:\n    # mine\n\n    nodes:\n    - type: input\n      id: "a"\n\n    # then\n    -   id: b # the end\n        type: output\n    edges: []\n')).toEqual([
    ['a', '- type: input\n      id: "a"\n\n    # then'],
    ['b', '-   id: b # the end\n        type: output'],
  ]);
});

test('a node in braces has its id anywhere in them', () => {
  expect(found('workflow:\n  nodes:\n    - {id: a, type: input}\n    - { type: output,\n        id: "b" }\n    - {label: "id: c"}\n').map(([id]) => id)).toEqual(['a', 'b']);
});

test('nothing but a key of the workflow is taken for its nodes, and nothing but a key of a node for its id', () => {
  const file = [
    'nodes:',
    '  - id: outside',
    'workflow:',
    '  description: |',
    '    nodes:',
    '      - id: told',
    '  metadata:',
    '    nodes:',
    '      - id: kept',
    '  nodes:',
    '    - agent_ref: a',
    '      output_schema:',
    '        id: field',
    '      prompt_template: |',
    '        - id: said',
    '        id: said',
    '      id: one',
    '    - agent_ref: a',
    '  tags:',
    '    - id',
  ].join('\n');
  expect(nodeStretches(file).map(({ id }) => id)).toEqual(['one']);
});

test('what is no workflow has none', () => {
  for (const file of ['', 'workflow:', 'workflow:\n  nodes:\n', 'workflow: {nodes: [{id: a}]}', '- id: a']) expect(found(file)).toEqual([]);
});
