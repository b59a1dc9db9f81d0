import type { WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { begin, defaultHandle, links, type Link, ways } from './links.ts';
import { update } from './nodes.ts';
import { after, order } from './order.ts';
import { text } from './text.ts';

/** Why there can be no such link, as a sentence. A way on from a condition that leads somewhere else already can be led here. */
export function refusal(graph: WorkflowGraph, from: string, handle: string | undefined, to: string): string | undefined {
  const node = graph.nodes.find(each => each.id === from);
  if (!node || !graph.nodes.some(each => each.id === to)) return text.noNode;
  if (from === to) return text.itself;
  if (node.type === 'condition') {
    if (handle === undefined) return text.noBranch;
    if (!ways(node).some(way => way.handle === handle)) return text.unknownBranch;
  } else if (handle !== undefined) return text.onlyConditions;
  const drawn = links(graph);
  if (drawn.some(link => link.from === from && link.handle === handle && link.to === to)) return text.connected;
  if (after(drawn, to).has(from)) return text.circle(from, to);
  if (after(order(graph), to).has(from)) return text.circleOfOutputs(from, to);
  return undefined;
}

/** Links two nodes; nothing happens if that is refused. */
export function connect(graph: WorkflowGraph, from: string, handle: string | undefined, to: string): WorkflowGraph {
  const node = graph.nodes.find(each => each.id === from);
  if (!node || refusal(graph, from, handle, to)) return graph;
  if (node.type === 'parallel') return update(graph, from, { parallel_of: [...node.parallel_of, to] });
  if (node.type === 'condition') return lead(graph, node, handle, to);
  return { ...graph, edges: [...graph.edges, { from, to }] };
}

/** Has a way on from a condition lead to a node, or nowhere. */
function lead(graph: WorkflowGraph, node: WorkflowNode & { type: 'condition' }, handle: string | undefined, to: string): WorkflowGraph {
  if (handle === defaultHandle) return update(graph, node.id, { default: to || undefined });
  return update(graph, node.id, { branches: node.branches.map((branch, i) => (String(i) === handle ? { ...branch, target_node: to } : branch)) });
}

/** Removes links, and edges that say the same. A branch stays, and leads nowhere. */
export function disconnect(graph: WorkflowGraph, gone: readonly Link[]): WorkflowGraph {
  return gone.reduce(cut, graph);
}

function cut(graph: WorkflowGraph, { from, handle, to, kind }: Link): WorkflowGraph {
  const node = graph.nodes.find(each => each.id === from);
  if (node?.type === 'parallel' && kind === 'parallel') return update(graph, from, { parallel_of: node.parallel_of.filter(id => id !== to) });
  if (node?.type === 'condition' && kind !== 'edge') return lead(graph, node, handle, '');
  const edges = graph.edges.filter(edge => begin(edge).id !== from || edge.to !== to);
  return edges.length === graph.edges.length ? graph : { ...graph, edges };
}
