import type { WorkflowNode } from '../../api/types.gen.ts';

/** Where a text has the output of a node: {{ run.outputs["node"] }}. */
interface Reference {
  name: string;
  start: number; // of the name
}

const output = /^\s*run\.outputs\[\s*(?:'([^'"]*)'|"([^'"]*)")\s*\]/;

/** The outputs that a text has, as the reader of workflows finds them (backend/workflow/template.go). A {{ without its }} is text. */
export function references(text: string): Reference[] {
  const all: Reference[] = [];
  for (let open = text.indexOf('{{'); open >= 0; ) {
    const close = closing(text, open + 2);
    if (close < 0) break;
    const inside = text.slice(open + 2, close);
    const found = output.exec(inside);
    if (found) all.push({ name: found[1] ?? found[2] ?? '', start: open + 2 + inside.search(/['"]/) + 1 });
    open = text.indexOf('{{', close + 2);
  }
  return all;
}

/** Where the }} of a {{ is; -1 if there is none. One in quotes, brackets or parentheses does not count. */
function closing(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let i = from; i < text.length; i++) {
    const c = text.charAt(i);
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

/** What a text becomes. */
type Rewrite = (text: string) => string;

/** What gives texts and expressions the outputs of nodes that are called differently now. */
export function renaming(renamed: (id: string) => string): { told: Rewrite; expression: Rewrite } {
  return {
    told: text => references(text).reduceRight((all, { name, start }) => all.slice(0, start) + renamed(name) + all.slice(start + name.length), text),
    expression: text => text.replace(/\b(run\.outputs\[\s*(["']))([^'"]*)(\2\s*\])/g, (_, open, _quote, name, close) => open + renamed(name) + close),
  };
}

/** An object with other texts; itself if they are the same. */
export function reworded<T extends object>(of: T, texts: { [K in keyof T]?: Rewrite }): T {
  let all = of;
  for (const key of Object.keys(texts) as (keyof T)[]) {
    const before = of[key];
    const after = typeof before === 'string' ? (texts[key]?.(before) as typeof before) : before;
    if (after !== before) all = { ...all, [key]: after };
  }
  return all;
}

/** A node with other texts: told are those that a model or a person reads, an expression is read by a program. */
export function rewrite(node: WorkflowNode, { told, expression }: { told: Rewrite; expression: Rewrite }): WorkflowNode {
  switch (node.type) {
    case 'agent':
      return reworded(node, { system_prompt_append: told, prompt_template: told });
    case 'human_gate':
      return reworded(node, { assignee: told, message_template: told });
    case 'condition':
      return reworded(node, { expression });
    case 'transform':
      return reworded(node, { transform: expression });
    case 'merge':
      return reworded(node, { merge_fn: expression });
    default:
      return node;
  }
}

/** The nodes whose outputs a node is told. */
export function outputsIn(node: WorkflowNode): string[] {
  const names: string[] = [];
  const told = (text: string) => {
    names.push(...references(text).map(reference => reference.name));
    return text;
  };
  rewrite(node, { told, expression: text => text });
  return names;
}
