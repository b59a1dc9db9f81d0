import type { WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { links, retarget } from './links.ts';
import { add, freshId } from './nodes.ts';
import { after, order } from './order.ts';
import { text } from './text.ts';

/** Has nodes that follow each other run at the same time: a parallel before them, a merge after them. A text says why it cannot be. */
export function runInParallel(graph: WorkflowGraph, ids: readonly string[]): WorkflowGraph | string {
  const chain = chainOf(graph, ids);
  if (typeof chain === 'string') return chain;
  const parallel: WorkflowNode = { id: freshId(graph, 'parallel'), type: 'parallel', parallel_of: chain };
  const merge: WorkflowNode = { id: freshId(graph, 'merge'), type: 'merge', merge_strategy: 'concat' };
  const [first, last] = [chain[0], chain.at(-1)];
  const entering = (to: string) => (to === first ? parallel.id : to);
  const nodes = graph.nodes.flatMap(node => [
    ...(node.id === first ? [parallel] : []),
    retarget(node, entering),
    ...(node.id === last ? [merge] : []),
  ]);
  const outside = graph.edges.filter(edge => !chain.includes(edge.from) || !chain.includes(edge.to));
  const edges = outside.map(edge => ({ ...edge, from: edge.from === last ? merge.id : edge.from, to: entering(edge.to) }));
  const beside = { ...graph, nodes, edges: [...edges, ...chain.map(from => ({ from, to: merge.id }))] };
  const pairs = order(beside);
  for (const id of chain) {
    const later = after(pairs, id);
    const waits = chain.find(other => other !== id && later.has(other));
    if (waits) return text.waits(waits, id);
  }
  return beside;
}

/** The nodes in the order in which they follow each other, or why they cannot run beside each other. */
function chainOf(graph: WorkflowGraph, ids: readonly string[]): string[] | string {
  const chosen = graph.nodes.filter(node => ids.includes(node.id));
  if (chosen.length < 2) return text.tooFew;
  const fixed = chosen.find(node => !['agent', 'human_gate', 'transform'].includes(node.type));
  if (fixed) return text.notBeside(fixed.id);
  const drawn = links(graph);
  const next = new Map<string, string>();
  for (const { from, to } of drawn) if (ids.includes(from) && ids.includes(to)) next.set(from, to);
  const entered = new Set(next.values());
  const chain: string[] = [];
  let id = chosen.find(node => !entered.has(node.id))?.id;
  for (; id !== undefined && chain.length < chosen.length; id = next.get(id)) chain.push(id);
  const [, ...inner] = chain;
  const alone = inner.every((to, i) => drawn.filter(link => link.from === chain[i] || link.to === to).length === 1);
  return chain.length === chosen.length && alone ? chain : text.noLine;
}

/** Puts a condition between a node and what follows it: see add. A text says why it cannot be. */
export function addConditionAfter(graph: WorkflowGraph, id: string): { graph: WorkflowGraph; id: string } | string {
  const wrong = refused(graph, id);
  if (wrong) return wrong;
  const next = new Set(graph.edges.filter(edge => edge.from === id).map(edge => edge.to)).size;
  if (next === 0) return text.nothingFollows(id);
  if (next > 1) return text.severalFollow(id);
  return add(graph, 'condition', id);
}

/** Has what follows a node wait for a person: see add. A text says why it cannot be. */
export function addGateAfter(graph: WorkflowGraph, id: string): { graph: WorkflowGraph; id: string } | string {
  return refused(graph, id) ?? add(graph, 'human_gate', id);
}

/** Why nothing can be put between a node and what follows it. */
function refused(graph: WorkflowGraph, id: string): string | undefined {
  switch (graph.nodes.find(node => node.id === id)?.type) {
    case undefined:
      return text.noNode;
    case 'condition':
    case 'parallel':
      return text.severalWays(id);
    case 'output':
      return text.end;
    default:
      return undefined;
  }
}
