// @vitest-environment node
import { expect, test } from 'vitest';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import { copy, paste } from './clip.ts';
import { disconnect } from './connect.ts';
import { links, ways } from './links.ts';
import { rename, update } from './nodes.ts';
import { references } from './references.ts';
import { lines, sketch } from './sketch.ts';

const drawn = (graph: WorkflowGraph) => links(graph).map(({ from, handle, to, label, kind }) => [from, handle && `(${handle})`, label && `"${label}"`, to, kind].filter(Boolean).join(' '));

test('what is said twice is drawn once, with the label that somebody gave it', () => {
  const graph = sketch('a > c\na > c\nc ? true: b, 1: d, yes: -, default: d\np = a | b\np > a');
  graph.edges.push({ from: 'c:true', to: 'b', label: 'well' }, { from: 'c:1.0', to: 'd', label: 'one' }, { from: 'a', to: 'd', label: 'on' });
  expect(drawn(graph)).toEqual(['c (0) "well" b branch', 'c (1) "one" d branch', 'c (default) "default" d default', 'p a parallel', 'p b parallel', 'a c edge', 'a "on" d edge']);
  expect(new Set(links(graph).map(link => link.id)).size).toBe(links(graph).length);
});

test('what a file has and may not have is drawn, to be seen and removed', () => {
  const graph = sketch('c ? true: a\nb\np = a');
  graph.edges.push({ from: 'c', to: 'b' }, { from: 'c:no', to: 'a' }, { from: 'a:x', to: 'b' }, { from: 'p', to: 'b' }, { from: 'b', to: 'nobody' });
  expect(drawn(graph)).toEqual(['c (0) "true" a branch', 'p a parallel', 'c b edge', 'c a edge', 'a b edge', 'p b edge']);
  expect(links(disconnect(graph, links(graph)))).toEqual([]);
});

test('a condition has a way for each branch, also if two have the same when, and for its default', () => {
  const [node] = sketch('c ? true: a, true: b, yes: -').nodes;
  expect(node?.type === 'condition' && ways(node)).toEqual([
    { handle: '0', label: 'true', to: 'a' },
    { handle: '1', label: 'true', to: 'b' },
    { handle: '2', label: 'yes', to: '' },
    { handle: 'default', label: 'default', to: '' },
  ]);
});

const whole = 'c ? true: a, 2: b\nc:true > a\nc:2 > b';

test.each([
  ['a when that changes', [{ when: 'yes', target_node: 'a' }, { when: 2, target_node: 'b' }], 'c ? yes: a, 2: b\nc:yes > a\nc:2 > b'],
  ['a target that changes', [{ when: true, target_node: 'b' }, { when: 2, target_node: 'b' }], 'c ? true: b, 2: b\nc:true > b\nc:2 > b\na'],
  ['branches in another order', [{ when: 2, target_node: 'b' }, { when: true, target_node: 'a' }], 'c ? 2: b, true: a\nc:true > a\nc:2 > b'],
  ['a branch that goes', [{ when: 2, target_node: 'b' }], 'c ? 2: b\nc:2 > b\na'],
  ['a branch that comes', [{ when: true, target_node: 'a' }, { when: 2, target_node: 'b' }, { when: 'x', target_node: 'a' }], 'c ? true: a, 2: b, x: a\nc:true > a\nc:2 > b'],
  ['a when that is not there', [{ when: '', target_node: 'a' }, { when: 2, target_node: 'b' }], 'c ? : a, 2: b\nc:2 > b'],
])('edges of branches follow: %s', (_, branches, expected) => {
  expect(lines(update(sketch(whole), 'c', { branches }))).toEqual(lines(sketch(expected)));
});

test('a field that is set to undefined is gone, and what changes nothing is nothing', () => {
  const graph = sketch('b < a');
  expect(update(graph, 'b', { agent_ref: 'writer' })).toBe(graph);
  expect(update(graph, 'b', { prompt_template: undefined }).nodes).toEqual([{ id: 'b', type: 'agent', agent_ref: 'writer' }]);
  expect(update(graph, 'nobody', { label: 'x' })).toBe(graph);
});

test.each([
  ['{{ run.outputs["a"] }}', ['a']],
  [`{{run.outputs['a']|json}} and {{ run.outputs[ "b" ] | default("}}") }}`, ['a', 'b']],
  ['{{ run.outputs["a"].text }}', ['a']],
  ['{{ inputs.x | default(run.outputs["a"]) }}', []],
  ['{{ ctx.x | default("\\"") }} {{ run.outputs["a"] }}', ['a']],
  ['{ { run.outputs["a"] }}', []],
  ['{{ run.outputs["a"] ', []],
  ['{{ "{{ run.outputs["a"] }}', []],
  ['run.outputs["a"]', []],
  ['{{ run.outputs[a] }} {{}} {{ run.id }}', []],
  ['“Ünï” {{ctx.a}}{{ run.outputs["b-1"]}}', ['b-1']],
])('the outputs in %s', (text, names) => {
  const all = references(text);
  expect(all.map(each => each.name)).toEqual(names);
  expect(all.map(each => text.slice(each.start, each.start + each.name.length))).toEqual(names);
});

const texts = (id: string): WorkflowGraph => ({
  id: 'a',
  description: '{{ run.outputs["a"] }}',
  inputs: [{ name: 'a', type: 'string', default: `{{ run.outputs["${id}"] }}` }, { name: 'n', type: 'number', default: 1 }],
  context: [{ key: 'a', value: `{{ run.outputs["${id}"] }}` }],
  agents: [{ id: 'a', model: 'm', provider: 'openai', system_prompt: `{{ run.outputs["${id}"] | length }} run.outputs["a"]` }],
  nodes: [
    { id, type: 'agent', agent_ref: 'a' },
    { id: 'b', type: 'agent', agent_ref: 'a', system_prompt_append: `{{ run.outputs['${id}'] }}`, prompt_template: `a {{ run.outputs["aa"] }} {{ run.outputs["${id}"] }}{{ run.outputs["${id}"] }}` },
    { id: 'gate', type: 'human_gate', gate_type: 'review', assignee: `{{ run.outputs["${id}"] }}`, message_template: '{ { run.outputs["a"] }}' },
    { id: 'transform', type: 'transform', transform: `run.outputs["${id}"] + run.outputs[ '${id}' ].length + a` },
    { id: 'merge', type: 'merge', merge_strategy: 'custom', merge_fn: `run.outputs["${id}"]` },
    { id: 'c', type: 'condition', expression: `run.outputs["${id}"] === "a"`, branches: [{ when: 'a', target_node: 'b' }] },
  ],
  edges: [{ from: id, to: 'b', label: 'a', condition: `run.outputs["${id}"]` }],
});

test('a name is changed in texts, instructions, context, defaults and expressions, and nowhere else', () => {
  expect(rename(texts('a'), 'a', 'x-2')).toEqual(texts('x-2'));
});

test('a clip is pasted as often as one likes, also where it does not come from', () => {
  const clip = copy(sketch('turn-1 > turn-2 > turn-3\nturn-2 < turn-1'), ['turn-2', 'turn-1']);
  const once = paste(sketch('turn-1'), clip);
  expect(once.ids).toEqual(['turn-2', 'turn-3']);
  expect(lines(paste(once.graph, clip).graph)).toEqual(lines(sketch('turn-1\nturn-2 > turn-3\nturn-3 < turn-2\nturn-4 > turn-5\nturn-5 < turn-4')));
});

test('a node that has no id yet, or none that is one, gets one; what leads nowhere does not lead to it', () => {
  const graph = sketch('c ? true: -, false: a');
  graph.nodes.push({ id: '', type: 'merge', merge_strategy: 'first' }, { id: 'A b', type: 'input' });
  expect(lines(rename(graph, '', 'm'))).toEqual(lines({ ...graph, nodes: graph.nodes.map(node => (node.type === 'merge' ? { ...node, id: 'm' } : node)) }));
  expect(paste(graph, copy(graph, ['', 'A b'])).ids).toEqual(['node', 'node-2']);
});
