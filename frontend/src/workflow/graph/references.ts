import type { WorkflowGraph, WorkflowNode } from '../../api/types.gen.ts';

/** Where a text names a node whose output it has: {{ run.outputs["node"] }}. */
interface Reference {
  name: string;
  start: number;
  end: number;
}

const output = /^[\s]*run\.outputs\[[ \t\r\n\f]*(?:'([^'"]*)'|"([^'"]*)")[ \t\r\n\f]*\]/;

/** The references to outputs in a text, as the reader of workflows finds them. A {{ without its }} is text. */
export function references(text: string): Reference[] {
  const all: Reference[] = [];
  for (let open = text.indexOf('{{'); open >= 0; ) {
    const inside = open + 2;
    const close = closing(text, inside);
    if (close < 0) break;
    const found = output.exec(text.slice(inside, close));
    if (found) {
      const name = found[1] ?? found[2] ?? '';
      const start = inside + found[0].search(/['"]/) + 1;
      all.push({ name, start, end: start + name.length });
    }
    open = text.indexOf('{{', close + 2);
  }
  return all;
}

/** Where the }} of a {{ is. One in quotes, brackets or parentheses is none. */
function closing(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let i = from; i < text.length; i++) {
    const c = text[i]!;
    if (quote) {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '[' || c === '(') depth++;
    else if (c === ']' || c === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0 && text.startsWith('}}', i)) return i;
  }
  return -1;
}

/** A node with other texts: told gets those that a model or a person is told, expression those that a program is. */
export function rewrite(node: WorkflowNode, told: (text: string) => string, expression: (text: string) => string): WorkflowNode {
  switch (node.type) {
    case 'agent':
      return changed(node, { system_prompt_append: told, prompt_template: told });
    case 'human_gate':
      return changed(node, { assignee: told, message_template: told });
    case 'condition':
      return changed(node, { expression });
    case 'transform':
      return changed(node, { transform: expression });
    case 'merge':
      return changed(node, { merge_fn: expression });
    default:
      return node;
  }
}

/** An object with other texts, or itself if they are the same. */
export function changed<T extends object>(of: T, texts: { [K in keyof T]?: (text: string) => string }): T {
  const patch: Partial<T> = {};
  for (const key of Object.keys(texts) as (keyof T)[]) {
    const before = of[key];
    if (typeof before !== 'string') continue;
    const after = texts[key]!(before) as T[keyof T];
    if (after !== before) patch[key] = after;
  }
  return Object.keys(patch).length > 0 ? { ...of, ...patch } : of;
}

/** The nodes whose outputs a node is told, also by the instructions of its agent. */
export function needs(graph: WorkflowGraph, node: WorkflowNode): string[] {
  const names: string[] = [];
  const collect = (text: string) => {
    names.push(...references(text).map(r => r.name));
    return text;
  };
  rewrite(node, collect, text => text);
  if (node.type === 'agent') collect(graph.agents?.find(agent => agent.id === node.agent_ref)?.system_prompt ?? '');
  return names;
}
