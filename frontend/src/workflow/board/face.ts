import type { WorkflowAgent, WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';
import { ways } from '../graph/links.ts';
import { boardText as text } from './text.ts';

/** A line of a card. The one that may be long has room for two. */
export interface Line {
  text: string;
  look: 'plain' | 'soft' | 'code';
  rows: 1 | 2;
}

/** Where edges leave a card. A condition has one such place for each way on, any other node one without a name. */
export interface Out {
  handle: string | undefined;
  label: string;
}

/** What a card shows of a node, which alone decides how large it is. */
export interface Face {
  lines: readonly Line[];
  outs: readonly Out[];
}

/** About as many letters as a line of a card has room for. */
const inLine = 40;

const plain = (line: string): Line => ({ text: line, look: 'plain', rows: 1 });
const soft = (line: string): Line => ({ text: line, look: 'soft', rows: 1 });
const long = (line: string): Line => ({ text: line, look: 'soft', rows: line.length > inLine ? 2 : 1 });
const code = (line: string): Line => ({ text: line, look: 'code', rows: 1 });

/** What the card of a node shows, in the graph that it is of. */
export function face(node: WorkflowNode, graph: WorkflowGraph): Face {
  return { lines: lines(node, graph).filter(line => line.text.trim() !== ''), outs: outs(node) };
}

function lines(node: WorkflowNode, graph: WorkflowGraph): Line[] {
  const says = text.card;
  switch (node.type) {
    case 'input':
      return [node.label ? plain(node.label) : soft(says.inputs((graph.inputs ?? []).map(input => input.name)))];
    case 'output':
      return [soft(says.output(node.output_format)), soft(node.save_to ? says.saves(node.save_to) : '')];
    case 'agent': {
      const agent = graph.agents?.find(one => one.id === node.agent_ref);
      const tools = node.tools ?? agent?.tools ?? [];
      return [
        plain(agent?.name || node.agent_ref || says.noAgent),
        soft(engine(node.model ?? agent?.model, agent)),
        soft(tools.length > 0 ? says.tools(tools) : ''),
        long(beginning(node.prompt_template ?? '')),
      ];
    }
    case 'condition':
      return [code(beginning(node.expression) || says.noExpression)];
    case 'transform':
      return [code(beginning(node.transform) || says.noExpression)];
    case 'parallel':
      return [soft(says.parallel(node.parallel_of.length))];
    case 'merge':
      return [soft(called(says.merge, node.merge_strategy)), code(node.merge_strategy === 'custom' ? beginning(node.merge_fn ?? '') : '')];
    case 'human_gate':
      return [
        soft([called(says.gate, node.gate_type), node.assignee && says.by(node.assignee)].filter(Boolean).join(' ')),
        plain(beginning(node.message_template ?? '')),
      ];
  }
}

/** What one of a few is called; what a file has that is none of them is shown as it is. */
function called(names: Record<string, string>, one: string): string {
  return Object.hasOwn(names, one) ? names[one]! : one;
}

function engine(model: string | undefined, agent: WorkflowAgent | undefined): string {
  return [model, agent?.provider].filter(Boolean).join(' · ');
}

/** As much of a text as two lines can show, on one line. */
function beginning(of: string): string {
  return of.slice(0, 240).replace(/\s+/g, ' ').trim();
}

function outs(node: WorkflowNode): Out[] {
  if (node.type === 'output') return [];
  if (node.type !== 'condition') return [{ handle: undefined, label: '' }];
  return ways(node);
}
