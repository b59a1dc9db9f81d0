import type { WorkflowEdge, WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { begin } from './links.ts';
import { freshId, renaming, retarget } from './nodes.ts';
import { rewrite } from './references.ts';

/** Nodes that were copied, and the edges between them. */
export interface Clip {
  nodes: readonly WorkflowNode[];
  edges: readonly WorkflowEdge[];
}

export function copy(graph: WorkflowGraph, ids: readonly string[]): Clip {
  const chosen = new Set(ids);
  return {
    nodes: graph.nodes.filter(node => chosen.has(node.id)),
    edges: graph.edges.filter(edge => chosen.has(begin(edge).id) && chosen.has(edge.to)),
  };
}

/** Adds what was copied, under fresh ids. What led out of it leads nowhere; texts still have the outputs of nodes outside. */
export function paste(graph: WorkflowGraph, clip: Clip): { graph: WorkflowGraph; ids: string[] } {
  const fresh = new Map<string, string>();
  let named = graph;
  for (const node of clip.nodes) {
    const id = freshId(named, node.id);
    fresh.set(node.id, id);
    named = { ...named, nodes: [...named.nodes, { id, type: 'input' }] };
  }
  const inside = (id: string) => fresh.get(id) ?? '';
  const { told, expression } = renaming(id => fresh.get(id) ?? id);
  const nodes = clip.nodes.map(node => rewrite({ ...retarget(node, inside), id: inside(node.id) }, told, expression));
  const edges = clip.edges.map(edge => {
    const { id, when } = begin(edge);
    return { ...edge, from: inside(id) + (when === undefined ? '' : `:${when}`), to: inside(edge.to) };
  });
  return { graph: { ...graph, nodes: [...graph.nodes, ...nodes], edges: [...graph.edges, ...edges] }, ids: [...fresh.values()] };
}
