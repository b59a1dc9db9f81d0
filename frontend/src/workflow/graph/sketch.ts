import type { WorkflowAgent, WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { defaultHandle, targets, ways } from './links.ts';

// Graphs as a few lines of text, for tests. The type of a node is in its name; what is none of the others is an agent.
//
//   input > a > b          edges
//   c ? true: a, false: -  a condition with its branches, one of which leads nowhere; default: x is its default
//   c:true > a             the edge of a branch
//   p = a | b              a parallel
//   b < a                  b is told the output of a
//   a @editor              a is a turn of that agent; of "writer" if nothing is said
//   @editor < a            the instructions of the agent have the output of a

const types: [RegExp, (id: string) => WorkflowNode][] = [
  [/^in/, id => ({ id, type: 'input' })],
  [/^out/, id => ({ id, type: 'output' })],
  [/^gate/, id => ({ id, type: 'human_gate', gate_type: 'approval' })],
  [/^c\b|^cond/, id => ({ id, type: 'condition', expression: 'true', branches: [] })],
  [/^trans/, id => ({ id, type: 'transform', transform: 'true' })],
  [/^p\b|^par/, id => ({ id, type: 'parallel', parallel_of: [] })],
  [/^m\b|^merge/, id => ({ id, type: 'merge', merge_strategy: 'concat' })],
  [/^/, id => ({ id, type: 'agent', agent_ref: 'writer' })],
];

const told = (names: string[]) => names.map(name => `{{ run.outputs["${name}"] }}`).join(' ');

/** The graph of some lines. */
export function sketch(source: string): WorkflowGraph {
  const nodes = new Map<string, WorkflowNode>();
  const agents = new Map<string, WorkflowAgent>();
  const edges: WorkflowGraph['edges'] = [];
  const agent = (id: string) => {
    const known = agents.get(id) ?? { id, model: 'model', provider: 'openai', system_prompt: 'Write.' };
    agents.set(id, known);
    return known;
  };
  const node = (end: string) => {
    const id = end.split(':')[0] ?? '';
    const known = nodes.get(id) ?? types.find(([name]) => name.test(id))?.[1](id);
    if (!known) throw new Error(`no node: ${end}`);
    nodes.set(id, known);
    return known;
  };
  agent('writer');
  for (const line of source.split('\n').filter(Boolean)) {
    const [first = '', sign, ...rest] = line.trim().split(/ +/);
    if (first.startsWith('@')) agent(first.slice(1)).system_prompt = told(rest);
    else if (sign === '?') targets(branch(node(first), rest.join(' '))).forEach(node);
    else if (sign === '=') targets(Object.assign(node(first), { parallel_of: rest.filter(id => id !== '|') })).forEach(node);
    else if (sign === '<') Object.assign(node(first), { [node(first).type === 'human_gate' ? 'message_template' : 'prompt_template']: told(rest) });
    else if (sign?.startsWith('@')) Object.assign(node(first), { agent_ref: agent(sign.slice(1)).id });
    else {
      const ends = line.trim().split(' > ');
      ends.forEach(node);
      ends.slice(1).forEach((to, i) => edges.push({ from: ends[i] ?? '', to }));
    }
  }
  return { id: 'sketch', agents: [...agents.values()], nodes: [...nodes.values()], edges };
}

function branch(node: WorkflowNode, line: string): WorkflowNode {
  const branches = line.split(', ').map(way => {
    const [when = '', to = ''] = way.split(': ');
    return { when: /^[\dtf]/.test(when) ? (JSON.parse(when) as unknown) : when, target_node: to === '-' ? '' : to };
  });
  const otherwise = branches.findIndex(each => each.when === 'default');
  return Object.assign(node, otherwise < 0 ? { branches } : { default: branches[otherwise]?.target_node, branches: branches.toSpliced(otherwise, 1) });
}

/** The lines of a graph, in one order: two graphs that mean the same have the same. */
export function lines(graph: WorkflowGraph): string[] {
  const drawn = graph.edges.map(edge => `${edge.from} > ${edge.to}`);
  const said: string[] = [];
  for (const node of graph.nodes) {
    if (node.type === 'condition') {
      const branches = node.branches.map(each => `${String(each.when)}: ${each.target_node || '-'}`);
      drawn.push(`${node.id} ? ${[...branches, ...(node.default ? [`default: ${node.default}`] : [])].join(', ')}`);
    }
    if (node.type === 'parallel') drawn.push(`${node.id} = ${node.parallel_of.join(' | ')}`);
    const names = outputs(JSON.stringify(node));
    if (names) said.push(`${node.id} < ${names}`);
    if (node.type === 'agent' && node.agent_ref !== 'writer') said.push(`${node.id} @${node.agent_ref}`);
  }
  const named = new Set([...drawn.join(' ').split(/[ :,]+/), ...said.map(line => line.split(' ')[0])]);
  const alone = graph.nodes.filter(node => !named.has(node.id)).map(node => node.id);
  const instructions = graph.agents?.flatMap(agent => outputs(agent.system_prompt ?? '') && `@${agent.id} < ${outputs(agent.system_prompt ?? '')}`) ?? [];
  return [...drawn, ...said, ...alone, ...instructions.filter(Boolean)].toSorted();
}

function outputs(text: string): string {
  return [...text.matchAll(/run\.outputs\[\\?"([^"\\]*)/g)].map(match => match[1]).join(' ');
}

/** A graph with a link, whatever is to be said against it. */
export function forced(graph: WorkflowGraph, from: string, to: string): WorkflowGraph {
  const [id = '', handle] = from.split(':');
  const nodes = graph.nodes.map((node): WorkflowNode => {
    if (node.id !== id) return node;
    if (node.type === 'parallel' && handle === undefined) return { ...node, parallel_of: [...node.parallel_of, to] };
    if (node.type !== 'condition' || !ways(node).some(way => way.handle === handle)) return node;
    return handle === defaultHandle ? { ...node, default: to } : { ...node, branches: [...node.branches, { when: 'forced', target_node: to }] };
  });
  const said = nodes.some((node, i) => node !== graph.nodes[i]);
  return { ...graph, nodes, edges: said ? graph.edges : [...graph.edges, { from, to }] };
}

/** Whether something is missing that only a person can say. */
export function unfinished(graph: WorkflowGraph): boolean {
  return graph.nodes.length === 0 || /"(target_node|agent_ref|transform)":""|"parallel_of":\[\]/.test(JSON.stringify(graph.nodes));
}
