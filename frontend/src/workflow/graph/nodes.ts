import type { WorkflowEdge, WorkflowGraph, WorkflowNode, WorkflowNodeType } from '../../api/types.gen.ts';
import { begin, branchOf, moved, retarget, targets } from './links.ts';
import { after as comingAfter, order } from './order.ts';
import { outputsIn, references, renaming, reworded, rewrite } from './references.ts';

/** What an id is. */
export const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Gives ids that nothing in a graph has or names, each once: what it is asked for if that is an id, or it with the first number that is free. */
export function fresh(graph: WorkflowGraph): (base: string) => string {
  const taken = new Set(graph.nodes.flatMap(node => [node.id, ...targets(node), ...outputsIn(node)]));
  for (const edge of graph.edges) taken.add(begin(edge).id).add(edge.to);
  for (const agent of graph.agents ?? []) for (const { name } of references(agent.system_prompt ?? '')) taken.add(name);
  return base => {
    let id = kebab.test(base) ? base : 'node';
    const stem = id.replace(/-\d+$/, '');
    for (let n = 2; taken.has(id); n++) id = `${stem}-${n}`;
    taken.add(id);
    return id;
  };
}

export function freshId(graph: WorkflowGraph, base: string): string {
  return fresh(graph)(base);
}

/** Adds a node; between another one and what follows that, if one is named and both lead on without a choice. */
export function add(graph: WorkflowGraph, type: WorkflowNodeType, after?: string): { graph: WorkflowGraph; id: string } {
  const before = graph.nodes.find(node => node.id === after);
  const node = blank(graph, freshId(graph, type === 'human_gate' ? 'gate' : type), type, before);
  return { graph: before ? put(graph, before, node) : { ...graph, nodes: [...graph.nodes, node] }, id: node.id };
}

/** A graph with a new node after another one. */
function put(graph: WorkflowGraph, before: WorkflowNode, node: WorkflowNode): WorkflowGraph {
  const added = { ...graph, nodes: graph.nodes.flatMap(each => (each === before ? [each, node] : [each])) };
  if (node.type === 'input' || before.type === 'condition' || before.type === 'output') return added;
  if (before.type === 'parallel') return update(added, before.id, { parallel_of: [...before.parallel_of, node.id] });
  const first = { from: before.id, to: node.id };
  const leaving = graph.edges.filter(edge => edge.from === before.id);
  const next = [...new Set(leaving.map(edge => edge.to))];
  if (next.length === 0 || node.type === 'output' || (node.type === 'condition' && next.length > 1)) {
    return { ...added, edges: [...graph.edges, first] };
  }
  const leads = leading(graph, node, next);
  const edges = graph.edges.flatMap(edge => {
    if (edge.from !== before.id) return [edge];
    return [...(edge === leaving[0] ? [first] : []), ...(leads === node ? [{ ...edge, from: node.id }] : [])];
  });
  return { ...graph, nodes: added.nodes.map(each => (each === node ? leads : each)), edges };
}

/** A node that leads to others, if its kind names them itself. What a condition does not let through ends, if there is an end. */
function leading(graph: WorkflowGraph, node: WorkflowNode, next: string[]): WorkflowNode {
  if (node.type === 'parallel') return { ...node, parallel_of: next };
  const [only] = next;
  if (node.type !== 'condition' || only === undefined) return node;
  const later = comingAfter(order(graph), only);
  const end = graph.nodes.find(each => each.type === 'output' && later.has(each.id))?.id ?? only;
  return { ...node, branches: node.branches.map(branch => ({ ...branch, target_node: branch.when ? only : end })) };
}

/** A node that says as little as it may. A condition goes one way until somebody writes when it should. */
function blank(graph: WorkflowGraph, id: string, type: WorkflowNodeType, before: WorkflowNode | undefined): WorkflowNode {
  switch (type) {
    case 'agent':
      return { id, type, agent_ref: agentFor(graph, before) };
    case 'human_gate':
      return { id, type, gate_type: 'approval' };
    case 'condition':
      return { id, type, expression: 'true', branches: [true, false].map(when => ({ when, target_node: '' })) };
    case 'transform':
      return { id, type, transform: '' };
    case 'parallel':
      return { id, type, parallel_of: [] };
    case 'merge':
      return { id, type, merge_strategy: 'concat' };
    default:
      return { id, type };
  }
}

/** The agent of a new node: that of the one before it, or the first. One whose instructions wait for an output could come too early. */
function agentFor(graph: WorkflowGraph, before: WorkflowNode | undefined): string {
  const waiting = graph.agents?.filter(agent => references(agent.system_prompt ?? '').length > 0).map(agent => agent.id);
  const refs = [before?.type === 'agent' ? before.agent_ref : undefined, ...(graph.agents ?? []).map(agent => agent.id)];
  return refs.find(ref => ref && !waiting?.includes(ref)) ?? '';
}

/** Removes nodes, and what leads to them. A branch stays and leads nowhere, because somebody wrote its when. */
export function remove(graph: WorkflowGraph, ids: readonly string[]): WorkflowGraph {
  const gone = new Set(ids);
  const left = graph.nodes.filter(node => !gone.has(node.id));
  if (left.length === graph.nodes.length) return graph;
  const nodes = left.map(node => retarget(node, to => (gone.has(to) ? '' : to)));
  return { ...graph, nodes, edges: graph.edges.filter(edge => !gone.has(begin(edge).id) && !gone.has(edge.to)) };
}

/** Gives a node another id, wherever it is named. Nothing happens if that is no id, or is taken. */
export function rename(graph: WorkflowGraph, from: string, to: string): WorkflowGraph {
  if (!kebab.test(to) || !graph.nodes.some(node => node.id === from) || graph.nodes.some(node => node.id === to)) return graph;
  const renamed = (id: string) => (id === from ? to : id);
  const named = (id: string) => (id === '' ? '' : renamed(id)); // an empty one names nobody
  const texts = renaming(named);
  const { told, expression } = texts;
  return {
    ...graph,
    nodes: graph.nodes.map(node => reworded(rewrite(retarget(node, named), texts), { id: renamed })),
    edges: graph.edges.map(edge => reworded(moved(edge, named), { condition: expression })),
    ...(graph.agents && { agents: graph.agents.map(agent => reworded(agent, { system_prompt: told })) }),
    ...(graph.context && { context: graph.context.map(entry => reworded(entry, { value: told })) }),
    ...(graph.inputs && { inputs: graph.inputs.map(input => reworded(input, { default: told })) }),
  };
}

/** Changes fields of a node; one that is set to undefined is removed. Edges that repeat what the node says change with it. */
export function update<T extends WorkflowNode>(graph: WorkflowGraph, id: string, patch: Partial<T>): WorkflowGraph {
  const before = graph.nodes.find(node => node.id === id);
  if (!before || Object.entries(patch).every(([key, value]) => before[key as keyof WorkflowNode] === value)) return graph;
  const all = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== undefined);
  const after = Object.fromEntries(all) as unknown as WorkflowNode;
  return {
    ...graph,
    nodes: graph.nodes.map(node => (node === before ? after : node)),
    edges: graph.edges.flatMap(edge => (begin(edge).id === id ? repeated(edge, before, after) : [edge])),
  };
}

/** What becomes of an edge that leaves a node when the node changes: that of a branch goes where the branch goes. */
function repeated(edge: WorkflowEdge, before: WorkflowNode, after: WorkflowNode): WorkflowEdge[] {
  if (before.type === 'parallel' && after.type === 'parallel') {
    return before.parallel_of.includes(edge.to) && !after.parallel_of.includes(edge.to) ? [] : [edge];
  }
  const { id, when } = begin(edge);
  if (before.type !== 'condition' || after.type !== 'condition' || when === undefined) return [edge];
  const place = branchOf(before, when);
  if (place < 0) return [edge];
  const same = after.branches.find(branch => branch.when === before.branches[place]?.when);
  const branch = same ?? (after.branches.length === before.branches.length ? after.branches[place] : undefined);
  return branch?.target_node && branch.when !== '' ? [{ ...edge, from: `${id}:${String(branch.when)}`, to: branch.target_node }] : [];
}
