import type { WorkflowConditionNode, WorkflowGraph, WorkflowNode, WorkflowNodeType } from '../../api/types.gen.ts';
import { addConditionAfter, addGateAfter, runInParallel } from './assist.ts';
import { copy, paste } from './clip.ts';
import { connect, disconnect, refusal } from './connect.ts';
import { links } from './links.ts';
import { add, freshId, remove, rename, update } from './nodes.ts';
import { after, order } from './order.ts';
import { forced, sketch } from './sketch.ts';

// What somebody who tries everything does to a graph, for tests.

/** Gives whole numbers below one, always the same ones for a seed. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const kinds: WorkflowNodeType[] = ['input', 'agent', 'human_gate', 'condition', 'transform', 'parallel', 'merge', 'output'];
const whens = [true, false, 'true', 'yes', '', 1, 1e21];

/** A step that was tried: what came of it, and, if it was a link, why not, and how it would have been. */
export interface Tried {
  graph: WorkflowGraph;
  link?: { why: string | undefined; graph: WorkflowGraph };
}

/** Some steps, one after the other. */
export function* tried(seed: number, steps: number): Generator<Tried> {
  const roll = dice(seed);
  let graph = sketch('input > a > b > d > output\n@editor < a');
  for (let n = 0; n < steps; n++) {
    const some = () => graph.nodes.filter(() => roll(4) === 0).map(node => node.id);
    const one = () => graph.nodes[roll(graph.nodes.length)]?.id ?? '';
    const id = one();
    const link = { from: id, to: one(), handle: roll(2) ? ['0', '1', '2', 'default'][roll(4)] : undefined };
    const kept = (made: WorkflowGraph | { graph: WorkflowGraph } | string) => (typeof made === 'string' ? graph : 'graph' in made ? made.graph : made);
    const actions: (() => WorkflowGraph)[] = [
      () => add(graph, kinds[roll(kinds.length)] ?? 'agent', roll(3) ? id : undefined).graph,
      () => connect(graph, link.from, link.handle, link.to),
      () => disconnect(graph, links(graph).filter(() => roll(6) === 0)),
      () => remove(graph, [id, ...(roll(4) ? [] : some())]),
      () => rename(graph, id, freshId(graph, `n-${roll(30)}`)), // a name that a text still has would bind that text anew
      () => kept(runInParallel(graph, [id, ...links(graph).filter(each => each.from === id).map(each => each.to)])),
      () => kept(addConditionAfter(graph, id)),
      () => kept(addGateAfter(graph, id)),
      () => paste(graph, copy(graph, some().slice(0, 4))).graph,
      () => edited(graph, id, roll),
    ];
    const chosen = roll(3) ? roll(actions.length) : 1; // links are what there is most to try with
    const before = graph;
    graph = actions[chosen]?.() ?? graph;
    if (chosen === 1) {
      const from = link.handle === undefined ? link.from : `${link.from}:${link.handle}`;
      yield { graph, link: { why: refusal(before, link.from, link.handle, link.to), graph: forced(before, from, link.to) } };
    } else yield { graph };
  }
}

/** What a form does. A text is given outputs only of what comes before: others a form cannot know of. */
function edited(graph: WorkflowGraph, id: string, roll: (below: number) => number): WorkflowGraph {
  const node = graph.nodes.find(each => each.id === id);
  switch (node?.type) {
    case 'agent': {
      const late = after(order(graph), id);
      const early = graph.nodes.filter(each => !late.has(each.id)).slice(0, 2);
      return update(graph, id, { prompt_template: early.map(each => `{{ run.outputs["${each.id}"] }}`).join(' ') || undefined });
    }
    case 'condition':
      return update<WorkflowConditionNode>(graph, id, { branches: branches(node, roll) });
    case 'parallel':
      return update(graph, id, { parallel_of: node.parallel_of.filter(() => roll(3)) });
    default:
      return graph;
  }
}

function branches(node: WorkflowConditionNode, roll: (below: number) => number): WorkflowConditionNode['branches'] {
  const when = whens[roll(whens.length)];
  if (roll(3) === 0) return [...node.branches, { when, target_node: '' }];
  if (roll(2)) return node.branches.slice(1);
  return node.branches.map((branch, i) => (i === 0 ? { ...branch, when } : branch));
}

/** A graph where all that only a person can say has been said. */
export function finished(graph: WorkflowGraph): WorkflowGraph {
  const { graph: ended, id: end } = add(graph, 'output');
  const nodes = ended.nodes.map((node): WorkflowNode => {
    if (node.type === 'agent' && !node.agent_ref) return { ...node, agent_ref: 'writer' };
    if (node.type === 'transform' && !node.transform) return { ...node, transform: 'true' };
    if (node.type === 'parallel' && node.parallel_of.length === 0) return { ...node, parallel_of: [end] };
    if (node.type !== 'condition') return node;
    const all = node.branches.map(branch => ({ ...branch, target_node: branch.target_node || end }));
    return { ...node, branches: all.length > 0 ? all : [{ when: true, target_node: end }] };
  });
  return { ...ended, nodes };
}
