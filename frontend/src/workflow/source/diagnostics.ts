import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Editor } from '../editor.ts';
import type { Stretch } from './outline.ts';

export type Problem = Editor['value']['problems'][number];

/** Where a problem stands: from its character to the end of its line. Lines and characters are counted from 1, and may be of a text that has become shorter. */
export function stretchOf(doc: Text, { line, column }: Problem): Stretch {
  const { from, text } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const before = Array.from(text).slice(0, column - 1).join('').length;
  const end = text.trimEnd().length;
  return { from: from + Math.min(before, end), to: from + end };
}

/** What is wrong, with the name of the key that it is about. */
export function saidOf({ key, message }: Problem): string {
  const name = /\.(\w+)$/.exec(key ?? '')?.[1];
  return name ? `${name}: ${message}` : message;
}

export function toDiagnostics(doc: Text, problems: readonly Problem[]): Diagnostic[] {
  return problems.map(problem => ({ ...stretchOf(doc, problem), severity: 'error', message: saidOf(problem) }));
}
