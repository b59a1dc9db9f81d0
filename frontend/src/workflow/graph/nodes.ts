import type { WorkflowAgent, WorkflowEdge, WorkflowGraph, WorkflowNode, WorkflowNodeType } from '../../api/types.gen.ts';
import { begin, branchOf } from './links.ts';
import { changed, needs, references, rewrite } from './references.ts';

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** An id that nothing in a graph has or names: the base itself, or with the first number that is free. */
export function freshId(graph: WorkflowGraph, base: string): string {
  const taken = new Set(graph.nodes.flatMap(node => [node.id, ...named(node), ...needs(graph, node)]));
  for (const edge of graph.edges) taken.add(begin(edge).id).add(edge.to);
  const stem = base.replace(/-\d+$/, '');
  let id = base;
  for (let n = 2; taken.has(id); n++) id = `${stem}-${n}`;
  return id;
}

/** The nodes that a node itself leads to. */
function named(node: WorkflowNode): string[] {
  if (node.type === 'condition') return [...node.branches.map(branch => branch.target_node), node.default ?? ''];
  return node.type === 'parallel' ? node.parallel_of : [];
}

/** Adds a node. What followed the one before it follows the new one, as far as both can lead on without a choice. */
export function add(graph: WorkflowGraph, type: WorkflowNodeType, after?: string): { graph: WorkflowGraph; id: string } {
  const id = freshId(graph, type === 'human_gate' ? 'gate' : type);
  const before = graph.nodes.find(node => node.id === after);
  const node = blank(graph, id, type, before);
  if (!before || type === 'input' || before.type === 'condition') return { graph: { ...graph, nodes: [...graph.nodes, node] }, id };
  const nodes = graph.nodes.flatMap(each => (each === before ? [each, node] : [each]));
  if (before.type === 'parallel') return { graph: update({ ...graph, nodes }, before.id, { parallel_of: [...before.parallel_of, id] }), id };
  const first: WorkflowEdge = { from: before.id, to: id };
  if (type === 'output') return { graph: { ...graph, nodes, edges: [...graph.edges, first] }, id };
  return { graph: takeOver({ ...graph, nodes }, before.id, id, first), id };
}

/** Has the edges that leave one node leave another one, which follows it by the edge first. */
function takeOver(graph: WorkflowGraph, before: string, id: string, first: WorkflowEdge): WorkflowGraph {
  const leaving = graph.edges.filter(edge => edge.from === before);
  const targets = [...new Set(leaving.map(edge => edge.to))];
  const node = graph.nodes.find(each => each.id === id);
  if (node?.type === 'parallel') return update(replaceEdges(graph, leaving, [first]), id, { parallel_of: targets });
  if (node?.type === 'condition') {
    const branches = node.branches.map((branch, i) => ({ ...branch, target_node: targets[i] ?? targets[0] ?? '' }));
    return update(replaceEdges(graph, leaving, [first]), id, { branches });
  }
  return replaceEdges(graph, leaving, [first, ...leaving.map(edge => ({ ...edge, from: id }))]);
}

/** Puts edges where the first of some others was. */
function replaceEdges(graph: WorkflowGraph, gone: readonly WorkflowEdge[], by: WorkflowEdge[]): WorkflowGraph {
  const edges = graph.edges.flatMap(edge => (edge === gone[0] ? by : gone.includes(edge) ? [] : [edge]));
  return { ...graph, edges: gone.length > 0 ? edges : [...edges, ...by] };
}

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

/** The agent of a new node: that of the one before it, or the first. One that is told the output of a node may come too early. */
function agentFor(graph: WorkflowGraph, before: WorkflowNode | undefined): string {
  const agents: WorkflowAgent[] = graph.agents ?? [];
  const early = (ref: string) => references(agents.find(agent => agent.id === ref)?.system_prompt ?? '').length > 0;
  const refs = [...(before?.type === 'agent' ? [before.agent_ref] : []), ...agents.flatMap(agent => agent.id ?? [])];
  return refs.find(ref => !early(ref)) ?? '';
}

/** Removes nodes, and what leads to them. A branch stays, and leads nowhere: somebody wrote its when. */
export function remove(graph: WorkflowGraph, ids: readonly string[]): WorkflowGraph {
  const gone = new Set(ids);
  const left = graph.nodes.filter(node => !gone.has(node.id));
  if (left.length === graph.nodes.length) return graph;
  const nodes = left.map(node => retarget(node, to => (gone.has(to) ? '' : to)));
  return { ...graph, nodes, edges: graph.edges.filter(edge => !gone.has(begin(edge).id) && !gone.has(edge.to)) };
}

/** A node with other targets; an empty one is none. */
export function retarget(node: WorkflowNode, to: (id: string) => string): WorkflowNode {
  if (node.type === 'parallel') return { ...node, parallel_of: node.parallel_of.map(to).filter(Boolean) };
  if (node.type !== 'condition') return node;
  const { default: otherwise, ...rest } = node;
  const target = to(otherwise ?? '');
  return { ...rest, branches: node.branches.map(branch => ({ ...branch, target_node: to(branch.target_node) })), ...(target && { default: target }) };
}

/** Gives a node another id, everywhere. Nothing happens if the id is none, or is taken. */
export function rename(graph: WorkflowGraph, from: string, to: string): WorkflowGraph {
  if (!kebab.test(to) || !graph.nodes.some(node => node.id === from) || graph.nodes.some(node => node.id === to)) return graph;
  const renamed = (id: string) => (id === from ? to : id);
  const { told, expression } = renaming(renamed);
  const nodes = graph.nodes.map(node => rewrite({ ...retarget(node, renamed), id: renamed(node.id) }, told, expression));
  const edges = graph.edges.map(edge => {
    const { id, when } = begin(edge);
    return changed({ ...edge, from: renamed(id) + (when === undefined ? '' : `:${when}`), to: renamed(edge.to) }, { condition: expression });
  });
  const all: WorkflowGraph = { ...graph, nodes, edges };
  if (graph.agents) all.agents = graph.agents.map(agent => changed(agent, { system_prompt: told }));
  if (graph.context) all.context = graph.context.map(entry => changed(entry, { value: told }));
  if (graph.inputs) all.inputs = graph.inputs.map(input => changed(input, { default: told }));
  return all;
}

/** What puts other ids into the references of texts and of expressions. */
export function renaming(renamed: (id: string) => string): { told: (text: string) => string; expression: (text: string) => string } {
  return {
    told: text => references(text).reduceRight((all, r) => all.slice(0, r.start) + renamed(r.name) + all.slice(r.end), text),
    expression: text => text.replace(/\b(run\.outputs\[\s*)(["'])([^'"]*)\2(\s*\])/g, (_, open, quote, name, close) => open + quote + renamed(name) + quote + close),
  };
}

/** Changes fields of a node; one that is set to undefined is removed. Edges that say what the node says follow it. */
export function update<T extends WorkflowNode>(graph: WorkflowGraph, id: string, patch: Partial<T>): WorkflowGraph {
  const before = graph.nodes.find(node => node.id === id);
  if (!before || Object.entries(patch).every(([key, value]) => Object.is(before[key as keyof WorkflowNode], value))) return graph;
  const after = Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== undefined)) as unknown as WorkflowNode;
  const nodes = graph.nodes.map(node => (node === before ? after : node));
  return { ...graph, nodes, edges: graph.edges.flatMap(edge => (begin(edge).id === id ? follow(edge, before, after) : [edge])) };
}

/** What becomes of an edge when the node that it leaves does: the edge of a branch goes where the branch goes. */
function follow(edge: WorkflowEdge, before: WorkflowNode, after: WorkflowNode): WorkflowEdge[] {
  const { id, when } = begin(edge);
  if (before.type === 'parallel' && after.type === 'parallel') {
    return before.parallel_of.includes(edge.to) && !after.parallel_of.includes(edge.to) ? [] : [edge];
  }
  if (before.type !== 'condition' || after.type !== 'condition' || when === undefined) return [edge];
  const place = branchOf(before, when);
  if (place < 0) return [edge];
  const same = after.branches.findIndex(branch => branch.when === before.branches[place]!.when);
  const branch = same >= 0 ? after.branches[same] : before.branches.length === after.branches.length ? after.branches[place] : undefined;
  return branch?.target_node && branch.when !== '' ? [{ ...edge, from: `${id}:${String(branch.when)}`, to: branch.target_node }] : [];
}
