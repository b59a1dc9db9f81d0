import type { WorkflowEdge, WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { begin, moved, retarget } from './links.ts';
import { fresh } from './nodes.ts';
import { renaming, reworded, rewrite } from './references.ts';

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

/** Adds what was copied, under fresh ids. What led out of it leads nowhere; its texts still have the outputs of nodes outside. */
export function paste(graph: WorkflowGraph, clip: Clip): { graph: WorkflowGraph; ids: string[] } {
  const named = fresh(graph);
  const ids = new Map(clip.nodes.map(node => [node.id, named(node.id)]));
  const texts = renaming(id => ids.get(id) ?? id);
  const inside = (id: string) => ids.get(id) ?? '';
  const nodes = clip.nodes.map(node => reworded(rewrite(retarget(node, inside), texts), { id: inside }));
  const edges = clip.edges.map(edge => reworded(moved(edge, inside), { condition: texts.expression }));
  return { graph: { ...graph, nodes: [...graph.nodes, ...nodes], edges: [...graph.edges, ...edges] }, ids: [...ids.values()] };
}
