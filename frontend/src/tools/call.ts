import type { DynamicToolUIPart, ToolUIPart } from 'ai';
import type { Part } from '../chat/message.ts';

export type ToolPart = ToolUIPart | DynamicToolUIPart;

export function isToolPart(part: Part): part is ToolPart {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-');
}

/** A call of a tool, as its card sees it. */
export interface Call {
  id: string;
  name: string;
  /** writing: its arguments are still coming; asking: a person has to decide; allowed: they did, and it is about to run. */
  state: 'writing' | 'asking' | 'allowed' | 'running' | 'done' | 'failed' | 'denied';
  input: unknown; // as much of it as there is
  output: unknown; // what a running call has shown so far, too
  error: string | undefined;
  /** Why it was denied. */
  note: string | undefined;
}

export function toCall(part: ToolPart): Call {
  const name = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
  const call = { id: part.toolCallId, name, input: part.input, output: part.output, error: part.errorText, note: part.approval?.reason };
  switch (part.state) {
    case 'input-streaming':
      return { ...call, state: 'writing' };
    case 'input-available':
      return { ...call, state: 'running' };
    case 'approval-requested':
      return { ...call, state: 'asking' };
    case 'approval-responded':
      return { ...call, state: part.approval.approved ? 'allowed' : 'denied' };
    case 'output-available':
      return { ...call, state: part.preliminary ? 'running' : 'done' };
    case 'output-error':
      return { ...call, state: 'failed' };
    case 'output-denied':
      return { ...call, state: 'denied' };
  }
}

/** A string that a call's input has under a name, if it has one. */
export function argument(input: unknown, name: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const value = (input as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}

/** The file that a call is about, if it names one. Each of the programs has a name of its own for it. */
export function pathOf(input: unknown): string | undefined {
  return ['path', 'file_path', 'filePath', 'absolute_path'].map(name => argument(input, name)).find(path => path !== undefined);
}

type Members<T> = { [name in keyof T]: 'string' | 'number' | 'boolean' | 'object' };

/** Whether a value is an object with members of these types: what a tool of another version gives may not be. */
export function has<T extends object>(value: unknown, members: Members<T>): value is T {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(members).every(([name, type]) => typeof (value as Record<string, unknown>)[name] === type)
  );
}

/** Whether a value is a list of nothing but such objects. */
export function isListOf<T extends object>(value: unknown, members: Members<T>): value is T[] {
  return Array.isArray(value) && value.every(each => has<T>(each, members));
}

/** Whether a value is a list of strings. */
export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string');
}
