import { useEffect, useRef, type RefObject } from 'react';
import type { WorkflowEdge, WorkflowNode } from '../../api/types.gen.ts';
import type { Editor } from '../editor.ts';
import { copy, paste, type Clip } from '../graph/clip.ts';
import { remove } from '../graph/nodes.ts';
import { boardText } from './text.ts';

/** Nodes as the text that they are on the clipboard. */
export function written(clip: Clip): string {
  return JSON.stringify({ parley: 'workflow', ...clip }, undefined, 2);
}

/** The nodes that a text is, or nothing if it is none of ours. Whoever wrote it, its keys are those of nodes, and hold what they are to hold. */
export function read(source: string): Clip | undefined {
  let found: unknown;
  try {
    found = JSON.parse(source);
  } catch {
    return undefined;
  }
  if (!isRecord(found) || found.parley !== 'workflow' || !isListOf(isNode)(found.nodes) || !isListOf(isEdge)(found.edges) || found.nodes.length === 0) return undefined;
  return { nodes: found.nodes, edges: found.edges };
}

type Holds = (value: unknown) => boolean;

const text: Holds = value => typeof value === 'string';
const number: Holds = value => typeof value === 'number';
const whole: Holds = value => Number.isSafeInteger(value);
const plain: Holds = value => ['string', 'number', 'boolean'].includes(typeof value);
const texts = isListOf(text);

function isListOf<T>(holds: ((value: unknown) => value is T) | Holds): (value: unknown) => value is T[] {
  return (value): value is T[] => Array.isArray(value) && value.every(each => holds(each));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether something has no other keys than these, and holds in each what it is to hold. */
function has(keys: Record<string, Holds>, needed: readonly string[]): Holds {
  return value =>
    isRecord(value) && needed.every(key => Object.hasOwn(value, key)) && Object.entries(value).every(([key, held]) => Object.hasOwn(keys, key) && keys[key]!(held));
}

const retry = has({ max: whole, backoff: text, backoff_ms: whole, retry_on: texts }, ['max', 'backoff']);
const branch = has({ when: plain, target_node: text }, ['target_node']);

/** Of each type: its own keys, and those that are always there. */
const nodes: Record<WorkflowNode['type'], [Record<string, Holds>, string[]]> = {
  input: [{ label: text }, []],
  agent: [
    {
      agent_ref: text,
      system_prompt_append: text,
      prompt_template: text,
      tools: texts,
      model: text,
      temperature: number,
      max_tokens: whole,
      output_schema: isRecord,
      output_modalities: texts,
      count: whole,
      duration_seconds: number,
      timeout_ms: whole,
      retry,
    },
    ['agent_ref'],
  ],
  human_gate: [{ gate_type: text, assignee: text, message_template: text, timeout_ms: whole, timeout_action: text }, ['gate_type']],
  condition: [{ expression: text, expression_type: text, branches: isListOf(branch), default: text, retry }, ['expression', 'branches']],
  transform: [{ transform: text, expression_type: text, output_schema: isRecord, retry }, ['transform']],
  parallel: [{ parallel_of: texts }, ['parallel_of']],
  merge: [{ merge_strategy: text, merge_fn: text, retry }, ['merge_strategy']],
  output: [{ output_format: text, save_to: text }, []],
};

function isNode(value: unknown): value is WorkflowNode {
  const type = isRecord(value) && typeof value.type === 'string' && Object.hasOwn(boardText.types, value.type) ? (value.type as WorkflowNode['type']) : undefined;
  if (!type) return false;
  const [keys, needed] = nodes[type];
  return has({ id: text, type: text, ...keys }, ['id', ...needed])(value);
}

function isEdge(value: unknown): value is WorkflowEdge {
  return has({ from: text, to: text, label: text, condition: text }, ['from', 'to'])(value);
}

interface Clipboard {
  onSaid: (what: string) => void;
  onPasted: (ids: readonly string[]) => void;
  onRefused: (why: string) => void;
}

/** Copies, cuts and pastes nodes while the focus is on the board, but for its fields. */
export function useClipboard(frame: RefObject<HTMLElement | null>, editor: Editor, on: Clipboard): void {
  const latest = useRef(on);
  useEffect(() => {
    latest.current = on;
  });
  useEffect(() => {
    const take = (event: ClipboardEvent, isCut: boolean) => {
      const { graph, selected } = editor.value;
      const clip = copy(graph, selected);
      if (clip.nodes.length === 0) return;
      event.clipboardData?.setData('text/plain', written(clip));
      const n = clip.nodes.length;
      if (isCut) editor.change(boardText.change.cut(n), now => remove(now, selected));
      latest.current.onSaid(isCut ? boardText.said.cut(n) : boardText.said.copied(n));
    };
    const put = (event: ClipboardEvent) => {
      const clip = read(event.clipboardData?.getData('text/plain') ?? '');
      if (!clip) return latest.current.onRefused(boardText.notOurs);
      const { graph, ids } = paste(editor.value.graph, clip);
      editor.change(boardText.change.paste(ids.length), () => graph);
      latest.current.onPasted(ids);
    };
    // WebKit asks first whether there is anything to be done, as there is no text that could be copied.
    const handlers: Record<string, (event: ClipboardEvent) => void> = {
      copy: event => take(event, false),
      cut: event => take(event, true),
      paste: put,
      beforecopy: () => {},
      beforecut: () => {},
      beforepaste: () => {},
    };
    const heard = (event: Event) => {
      if (event.target instanceof Element && (event.target.closest('input, textarea, select') || !frame.current?.contains(event.target))) return;
      event.preventDefault();
      handlers[event.type]!(event as ClipboardEvent);
    };
    for (const name of Object.keys(handlers)) document.addEventListener(name, heard);
    return () => {
      for (const name of Object.keys(handlers)) document.removeEventListener(name, heard);
    };
  }, [frame, editor]);
}
