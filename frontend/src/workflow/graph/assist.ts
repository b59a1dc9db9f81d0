import type { WorkflowGraph } from '../../api/types.gen.ts';
import { reaches, waiting } from './connect.ts';
import { links } from './links.ts';
import { add, freshId, retarget, update } from './nodes.ts';

/** Has nodes of a chain run at the same time: a parallel before them, a merge after them. A text says why it cannot. */
export function runInParallel(graph: WorkflowGraph, ids: readonly string[]): WorkflowGraph | string {
  const chain = chainOf(graph, ids);
  if (typeof chain === 'string') return chain;
  const [first, last] = [chain[0]!, chain.at(-1)!];
  const parallel = freshId(graph, 'parallel');
  const merge = freshId(graph, 'merge');
  const between = (from: string, to: string) => chain.includes(from) && chain.includes(to);
  const nodes = graph.nodes.flatMap(node => {
    const kept = retarget(node, to => (to === first ? parallel : to));
    if (node.id === first) return [{ id: parallel, type: 'parallel' as const, parallel_of: chain }, kept];
    return node.id === last ? [kept, { id: merge, type: 'merge' as const, merge_strategy: 'concat' }] : [kept];
  });
  const edges = graph.edges
    .filter(edge => !between(edge.from, edge.to))
    .map(edge => ({ ...edge, from: edge.from === last ? merge : edge.from, to: edge.to === first ? parallel : edge.to }));
  const closed: WorkflowGraph = { ...graph, nodes, edges: [...edges, ...chain.map(from => ({ from, to: merge }))] };
  const after = waiting(closed);
  for (const one of chain) for (const other of chain) {
    if (one !== other && reaches(after, one, other)) return `“${other}” needs what “${one}” gives, so they cannot run at the same time.`;
  }
  return closed;
}

/** The nodes in the order in which they follow each other, or why they do not. */
function chainOf(graph: WorkflowGraph, ids: readonly string[]): string[] | string {
  const chosen = new Set(ids);
  const nodes = graph.nodes.filter(node => chosen.has(node.id));
  if (nodes.length < 2) return 'Select two or more nodes that follow each other.';
  const fixed = nodes.find(node => ['input', 'output', 'condition', 'parallel'].includes(node.type));
  if (fixed) return `“${fixed.id}” cannot run beside others. Select agents, gates, transforms or merges.`;
  const drawn = links(graph);
  const inside = drawn.filter(link => chosen.has(link.from) && chosen.has(link.to));
  let next = nodes.find(node => !inside.some(link => link.to === node.id));
  const chain: string[] = [];
  while (next && !chain.includes(next.id)) {
    const { id } = next;
    chain.push(id);
    next = nodes.find(node => inside.some(link => link.from === id && link.to === node.id));
  }
  const open = chain.slice(1).some(id => drawn.filter(link => link.to === id).length > 1) || chain.slice(0, -1).some(id => drawn.filter(link => link.from === id).length > 1);
  if (chain.length < nodes.length || open) return 'These nodes do not follow each other in one line, with nothing else before or after those inside.';
  return chain;
}

/** Puts a condition after a node. It always goes on with what followed, until somebody says when; otherwise the run ends. */
export function addConditionAfter(graph: WorkflowGraph, id: string): { graph: WorkflowGraph; id: string } | string {
  const node = graph.nodes.find(each => each.id === id);
  const wrong = ending(graph, id);
  if (!node || wrong) return wrong ?? 'There is no such node.';
  const targets = new Set(graph.edges.filter(edge => edge.from === id).map(edge => edge.to));
  const [next] = targets;
  if (next === undefined) return `Nothing follows “${id}”, so a condition would lead nowhere. Connect it first.`;
  if (targets.size > 1) return `Several nodes follow “${id}”. A condition can be put before one of them at a time.`;
  const added = add(graph, 'condition', id);
  const after = waiting(graph);
  const end = graph.nodes.find(each => each.type === 'output' && reaches(after, next, each.id))?.id ?? next;
  const branches = [{ when: true, target_node: next }, { when: false, target_node: end }];
  return { graph: update(added.graph, added.id, { branches }), id: added.id };
}

/** Puts a gate after a node: what followed waits for a person. */
export function addGateAfter(graph: WorkflowGraph, id: string): { graph: WorkflowGraph; id: string } | string {
  return ending(graph, id) ?? add(graph, 'human_gate', id);
}

/** Why nothing can be put after a node. */
function ending(graph: WorkflowGraph, id: string): string | undefined {
  switch (graph.nodes.find(node => node.id === id)?.type) {
    case undefined:
      return 'There is no such node.';
    case 'condition':
      return 'Several ways lead on from a condition. Select the node that one of them leads to.';
    case 'parallel':
      return 'Several ways lead on from a parallel. Select one of the nodes that it leads to.';
    case 'output':
      return 'A run ends with an output.';
    default:
      return undefined;
  }
}
