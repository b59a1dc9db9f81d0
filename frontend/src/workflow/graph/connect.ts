import type { WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { begin, defaultHandle, links, type Link, ways } from './links.ts';
import { update } from './nodes.ts';
import { needs } from './references.ts';

/** Why there can be no link, as a sentence. A way on from a condition that leads somewhere else already would be led here. */
export function refusal(graph: WorkflowGraph, from: string, handle: string | undefined, to: string): string | undefined {
  const node = graph.nodes.find(each => each.id === from);
  if (!node || !graph.nodes.some(each => each.id === to)) return 'There is no such node.';
  if (from === to) return 'A node cannot follow itself.';
  if (node.type === 'condition') {
    if (handle === undefined) return 'What follows a condition begins at one of its branches, or at its default.';
    if (!ways(node).some(way => way.handle === handle)) return 'The condition has no such branch.';
  } else if (handle !== undefined) return 'Only a condition has branches.';
  const drawn = links(graph);
  if (drawn.some(link => link.from === from && link.handle === handle && link.to === to)) return 'These two are connected already.';
  if (reaches(following(drawn), to, from)) return `“${from}” comes after “${to}”, so this would go in a circle.`;
  if (reaches(waiting(graph), to, from)) return `“${from}” needs what “${to}” gives, so this would go in a circle.`;
  return undefined;
}

/** Node → those that links lead to. */
function following(drawn: readonly Link[]): Map<string, string[]> {
  const after = new Map<string, string[]>();
  for (const link of drawn) after.set(link.from, [...(after.get(link.from) ?? []), link.to]);
  return after;
}

/** Node → those that cannot begin before it: links lead to them, or they are told what it gives. */
export function waiting(graph: WorkflowGraph): Map<string, string[]> {
  const after = following(links(graph));
  for (const node of graph.nodes) for (const need of needs(graph, node)) after.set(need, [...(after.get(need) ?? []), node.id]);
  return after;
}

/** Whether one node comes before another, or is it. */
export function reaches(after: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const next of after.get(id) ?? []) seen.add(next);
  return seen.has(to);
}

/** Links two nodes; nothing happens if that is refused. */
export function connect(graph: WorkflowGraph, from: string, handle: string | undefined, to: string): WorkflowGraph {
  const node = graph.nodes.find(each => each.id === from);
  if (!node || refusal(graph, from, handle, to)) return graph;
  return lead(graph, node, handle, to) ?? { ...graph, edges: [...graph.edges, { from, to }] };
}

/** What the node itself says of where it leads. */
function lead(graph: WorkflowGraph, node: WorkflowNode, handle: string | undefined, to: string): WorkflowGraph | undefined {
  if (node.type === 'parallel') return update(graph, node.id, { parallel_of: [...node.parallel_of, to] });
  if (node.type !== 'condition' || handle === undefined) return undefined;
  if (handle === defaultHandle) return update(graph, node.id, { default: to || undefined });
  return update(graph, node.id, { branches: node.branches.map((branch, i) => (String(i) === handle ? { ...branch, target_node: to } : branch)) });
}

/** Removes links, and the edges that say the same. A branch stays, and leads nowhere. */
export function disconnect(graph: WorkflowGraph, gone: readonly Link[]): WorkflowGraph {
  return gone.reduce(cut, graph);
}

function cut(graph: WorkflowGraph, link: Link): WorkflowGraph {
  const node = graph.nodes.find(each => each.id === link.from);
  if (link.kind === 'parallel' && node?.type === 'parallel') return update(graph, node.id, { parallel_of: node.parallel_of.filter(id => id !== link.to) });
  if (link.kind === 'branch' || link.kind === 'default') return (node && lead(graph, node, link.handle, '')) ?? graph;
  const edges = graph.edges.filter(edge => begin(edge).id !== link.from || edge.to !== link.to);
  return edges.length === graph.edges.length ? graph : { ...graph, edges };
}
