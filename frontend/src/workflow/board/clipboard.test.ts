import { describe, expect, test } from 'vitest';
import type { Clip } from '../graph/clip.ts';
import { read, written } from './clipboard.ts';

const clip: Clip = {
  nodes: [
    { id: 'turn-1', type: 'agent', agent_ref: 'reviewer', prompt_template: 'Look.', tools: ['read_file'], retry: { max: 2, backoff: 'fixed' } },
    { id: 'choice', type: 'condition', expression: 'true', branches: [{ when: true, target_node: 'turn-1' }] },
  ],
  edges: [{ from: 'turn-1', to: 'choice', label: 'then' }],
};

test('what was copied is read as it was', () => {
  expect(read(written(clip))).toEqual(clip);
});

describe('what is not of a workflow is not pasted:', () => {
  const like = (change: object) => JSON.stringify({ parley: 'workflow', ...clip, ...change });
  test.each([
    ['nothing', ''],
    ['a text', 'Look at the failing test.'],
    ['other JSON', '{"nodes": [], "edges": []}'],
    ['a number', '7'],
    ['no nodes', like({ nodes: [] })],
    ['nodes that are none', like({ nodes: ['turn-1'] })],
    ['a type that there is not', like({ nodes: [{ id: 'a', type: 'constructor' }] })],
    ['a key that there is not', like({ nodes: [{ id: 'a', type: 'input', onload: 'x' }] })],
    ['one of another type', like({ nodes: [{ id: 'a', type: 'input', agent_ref: 'x' }] })],
    ['a text that is a number', like({ nodes: [{ ...clip.nodes[0], prompt_template: 7 }] })],
    ['a retry that is none', like({ nodes: [{ ...clip.nodes[0], retry: { max: 1.5, backoff: 'fixed' } }] })],
    ['a whole number that no file has', like({ nodes: [{ ...clip.nodes[0], timeout_ms: 1e300 }] })],
    ['a schema that is none', like({ nodes: [{ ...clip.nodes[0], output_schema: 'text' }] })],
    ['a branch for what no expression gives', like({ nodes: [{ ...clip.nodes[1], branches: [{ when: {}, target_node: 'a' }] }] })],
    ['branches without an end', like({ nodes: [{ ...clip.nodes[1], branches: [{ when: true }] }] })],
    ['a node without what it must have', like({ nodes: [{ id: 'a', type: 'parallel' }] })],
    ['edges that are none', like({ edges: [{ from: 'a' }] })],
  ])('%s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });
});
