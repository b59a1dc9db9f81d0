import type { FileProblem, WorkflowGraph } from '../api/types.gen.ts';

/** What of a workflow a person edits in one place. */
export interface Place {
  tab: 'node' | 'agents' | 'inputs' | 'workflow';
  node?: string; // its id
}

/** Where that is edited which a key of the file names. What is wrong with an edge is found at the node that it leaves. */
export function placeOf(graph: WorkflowGraph, key = ''): Place {
  const [, list, digits] = /^workflow\.(\w+)(?:\[(\d+)\])?/.exec(key) ?? [];
  const index = Number(digits);
  const ofNode = (id: string | undefined): Place => (graph.nodes.some(node => node.id === id) ? { tab: 'node', node: id } : { tab: 'workflow' });
  switch (list) {
    case 'nodes':
      return ofNode(graph.nodes[index]?.id);
    case 'edges':
      return ofNode(graph.edges[index]?.from.split(':')[0]);
    case 'agents':
      return { tab: 'agents' };
    case 'inputs':
    case 'context':
      return { tab: 'inputs' };
    default:
      return { tab: 'workflow' };
  }
}

/** What is wrong with each node that something is wrong with, by its id. */
export function problemsByNode(graph: WorkflowGraph, problems: readonly FileProblem[]): Map<string, FileProblem[]> {
  const found = new Map<string, FileProblem[]>();
  for (const problem of problems) {
    const { node } = placeOf(graph, problem.key);
    if (node !== undefined) found.set(node, [...(found.get(node) ?? []), problem]);
  }
  return found;
}
