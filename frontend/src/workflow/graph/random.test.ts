// @vitest-environment node
//
// Whatever is done to a graph, and in whatever order: nothing is named that there is not, and nothing is said that a reader
// of the file would refuse. backend/workflow/check.go has the same rules; these are written down without looking at ours.
import { expect, test } from 'vitest';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import { finished, tried } from './random.ts';
import { text } from './text.ts';

const seeds = Array.from({ length: 60 }, (_, seed) => seed);

test.each(seeds)('nothing breaks a graph: seed %i', seed => {
  for (const { graph, link } of tried(seed, 60)) {
    frozen(graph); // what follows may not change it in place
    expect(wrong(graph)).toEqual([]);
    const { why, graph: linked } = link ?? { why: undefined, graph };
    expect(why === text.connected || wrong(linked).length > 0, why ?? 'nothing is against it').toBe(why !== undefined);
  }
});

test('the backend reads what somebody makes who tries everything', async () => {
  const all = seeds.slice(0, 20).map(seed => {
    const graph = finished([...tried(seed, 60)].at(-1)!.graph);
    return `${JSON.stringify({ title: `Seed ${seed}`, right: true, workflow: graph })}\n`;
  });
  await expect(all.join('')).toMatchFileSnapshot('../../../../backend/workflow/testdata/canvas_random.jsonl');
});

function frozen(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(frozen);
}

function outputs(of: unknown): string[] {
  return [...JSON.stringify(of).matchAll(/run\.outputs\[\\"([^\\]*)/g)].map(match => match[1] ?? '');
}

function wrong({ nodes, edges, agents = [] }: WorkflowGraph): string[] {
  const all: string[] = [];
  const ids = nodes.map(node => node.id);
  const waits: [string, string][] = [];
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) all.push(`${id} is there twice`);
  for (const node of nodes) {
    const named = node.type === 'condition' ? [...node.branches.map(branch => branch.target_node), node.default ?? ''] : node.type === 'parallel' ? node.parallel_of : [];
    for (const to of named) {
      if (to && !ids.includes(to)) all.push(`${node.id} leads to ${to}`);
      waits.push([node.id, to]);
    }
    if (node.type === 'parallel' && node.parallel_of.includes('')) all.push(`${node.id} leads nowhere`);
    const instructions = node.type === 'agent' ? agents.filter(agent => agent.id === node.agent_ref) : [];
    for (const from of outputs([node, instructions])) waits.push([from, node.id]);
  }
  for (const { from, to } of edges) {
    const [id = '', ...rest] = from.split(':');
    const node = nodes.find(each => each.id === id);
    const branch = node?.type === 'condition' ? node.branches.find(each => `${each.when}` === rest.join(':')) : undefined;
    if (!node || !ids.includes(to)) all.push(`${from} > ${to} has no end`);
    if (rest.length > 0 ? branch?.target_node !== to : node?.type === 'condition') all.push(`${from} > ${to} is not a branch`);
    if (node?.type === 'parallel' && !node.parallel_of.includes(to)) all.push(`${from} > ${to} is not a member`);
    if (rest.length === 1 && rest[0] === '') all.push(`${from} > ${to} has an empty handle`);
    waits.push([id, to]);
  }
  let left = ids;
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    left = left.filter(id => waits.some(([from, to]) => to === id && left.includes(from)));
  }
  return left.length > 0 ? [...all, `${left.join(', ')} wait in a circle`] : all;
}
