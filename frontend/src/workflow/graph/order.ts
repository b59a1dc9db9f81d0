import type { WorkflowGraph } from '../../api/types.gen.ts';
import { links } from './links.ts';
import { outputsIn, references } from './references.ts';

/** One node, and one that comes after it. */
interface Pair {
  from: string;
  to: string;
}

/** What comes before what: along links, and because a node, or the instructions of its agent, have the output of another one. */
export function order(graph: WorkflowGraph): Pair[] {
  const instructions = new Map(graph.agents?.map(agent => [agent.id, references(agent.system_prompt ?? '').map(reference => reference.name)]));
  const needs = graph.nodes.flatMap(node => {
    const told = node.type === 'agent' ? (instructions.get(node.agent_ref) ?? []) : [];
    return [...outputsIn(node), ...told].map(from => ({ from, to: node.id }));
  });
  return [...links(graph), ...needs];
}

/** The nodes that come after one, and itself. */
export function after(pairs: readonly Pair[], from: string): Set<string> {
  const next = new Map<string, string[]>();
  for (const pair of pairs) {
    const all = next.get(pair.from);
    if (all) all.push(pair.to);
    else next.set(pair.from, [pair.to]);
  }
  const seen = new Set([from]);
  for (const id of seen) for (const to of next.get(id) ?? []) seen.add(to);
  return seen;
}
