import type { WorkflowConditionNode, WorkflowEdge, WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';

/** What is drawn between two nodes. */
export interface Link {
  id: string;
  from: string;
  handle?: string; // of a condition: see ways
  to: string;
  label?: string;
  kind: 'edge' | 'branch' | 'default' | 'parallel'; // what says that it is there: an edge alone, or the node that it leaves
}

/** A way on from a condition. */
export interface Way {
  handle: string; // the place of the branch, because two may have the same when; or defaultHandle
  label: string;
  to: string; // empty if it leads nowhere yet
}

export const defaultHandle = 'default';

/** The ways on from a condition: its branches, and its default, which is there to be connected also if it is none yet. */
export function ways(node: WorkflowConditionNode): Way[] {
  const branches = node.branches.map((branch, i) => ({ handle: String(i), label: String(branch.when), to: branch.target_node }));
  return [...branches, { handle: defaultHandle, label: 'default', to: node.default ?? '' }];
}

/** Where an edge begins: a node, and after a colon the when of one of its branches. */
export function begin(edge: WorkflowEdge): { id: string; when?: string } {
  const colon = edge.from.indexOf(':');
  return colon < 0 ? { id: edge.from } : { id: edge.from.slice(0, colon), when: edge.from.slice(colon + 1) };
}

/** The place of the branch that an edge names by its when; -1 if there is none. A number may be written in any way. */
export function branchOf(node: WorkflowConditionNode, when: string): number {
  const exact = node.branches.findIndex(branch => String(branch.when) === when);
  return exact >= 0 || when === '' ? exact : node.branches.findIndex(branch => branch.when === Number(when));
}

/** All that is to be drawn: what is said twice is one link, and what leads to no node is none. */
export function links(graph: WorkflowGraph): Link[] {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]));
  const all = new Map<string, Link>();
  const draw = (link: Omit<Link, 'id'>) => {
    if (!nodes.has(link.from) || !nodes.has(link.to)) return;
    const id = `${link.from}:${link.handle ?? ''} ${link.to}`;
    const same = all.get(id);
    if (!same) all.set(id, { id, ...link });
    else if (link.label) all.set(id, { ...same, label: link.label });
  };
  for (const node of graph.nodes) {
    if (node.type === 'condition') for (const way of ways(node)) draw({ from: node.id, ...way, kind: way.handle === defaultHandle ? 'default' : 'branch' });
    if (node.type === 'parallel') for (const to of node.parallel_of) draw({ from: node.id, to, kind: 'parallel' });
  }
  for (const edge of graph.edges) {
    const { id, when } = begin(edge);
    draw({ from: id, ...handleOf(nodes.get(id), when), to: edge.to, ...(edge.label && { label: edge.label }), kind: 'edge' });
  }
  return [...all.values()];
}

function handleOf(node: WorkflowNode | undefined, when: string | undefined): { handle?: string } {
  const branch = node?.type === 'condition' && when !== undefined ? branchOf(node, when) : -1;
  return branch < 0 ? {} : { handle: String(branch) };
}

/** The nodes that a node itself names. */
export function targets(node: WorkflowNode): string[] {
  if (node.type === 'condition') return ways(node).flatMap(way => way.to || []);
  return node.type === 'parallel' ? node.parallel_of : [];
}

/** A node that names others instead; an empty one is none. */
export function retarget(node: WorkflowNode, to: (id: string) => string): WorkflowNode {
  if (node.type === 'parallel') return { ...node, parallel_of: node.parallel_of.map(to).filter(Boolean) };
  if (node.type !== 'condition') return node;
  const { default: otherwise, ...rest } = node;
  const end = otherwise && to(otherwise);
  return { ...rest, branches: node.branches.map(branch => ({ ...branch, target_node: to(branch.target_node) })), ...(end && { default: end }) };
}

/** An edge between other nodes. */
export function moved(edge: WorkflowEdge, to: (id: string) => string): WorkflowEdge {
  const { id, when } = begin(edge);
  return { ...edge, from: when === undefined ? to(id) : `${to(id)}:${when}`, to: to(edge.to) };
}
