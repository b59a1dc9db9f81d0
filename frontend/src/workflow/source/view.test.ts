import { undo } from '@codemirror/commands';
import { foldedRanges } from '@codemirror/language';
import { forEachDiagnostic } from '@codemirror/lint';
import { EditorView, runScopeHandlers } from '@codemirror/view';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkflowGraph } from '../../api/types.gen.ts';
import { Editor } from '../editor.ts';
import { SourceView } from './view.ts';

const file = (...nodes: string[]) => `workflow:\n  id: w\n  metadata:\n    kept:\n      as: it is\n  nodes:\n${nodes.map(id => `    - id: ${id}\n      type: input\n`).join('')}`;

const graphOf = (...nodes: string[]): WorkflowGraph => ({ id: 'w', nodes: nodes.map(id => ({ id, type: 'input' })), edges: [] });

/** An editor whose checks are answered by the test. */
class Checked extends Editor {
  answer = this.set;
}

let editor: Checked;
let source: SourceView;
let view: EditorView;

beforeEach(() => {
  editor = new Checked({ graph: graphOf('a', 'b', 'c'), metadata: '{"kept":{"as":"it is"}}' });
  editor.answer({ source: file('a', 'b', 'c'), unchecked: undefined });
  source = new SourceView(editor, document.body);
  view = EditorView.findFromDOM(document.body)!;
});

afterEach(() => source.close());

const shown = () => view.state.doc.toString();
const at = (text: string) => shown().indexOf(text);

function typeAt(position: number, insert: string): void {
  view.dispatch({ changes: { from: position, insert }, selection: { anchor: position + insert.length }, userEvent: 'input.type' });
}

function press(key: string, held: KeyboardEventInit = {}): void {
  runScopeHandlers(view, new KeyboardEvent('keydown', { key, ...held }), 'editor');
}

function folded(): string[] {
  const found: string[] = [];
  for (const range = foldedRanges(view.state).iter(); range.value; range.next()) found.push(view.state.sliceDoc(range.from, range.to));
  return found;
}

function problems(): string[] {
  const found: string[] = [];
  forEachDiagnostic(view.state, ({ message }, from, to) => found.push(`${view.state.sliceDoc(from, to)}: ${message}`));
  return found;
}

test('what is typed goes to the workflow, and is not written again by it', () => {
  typeAt(at('id: w') + 4, 'x');
  expect(editor.value.typed).toBe(file('a', 'b', 'c').replace('id: w', 'id: xw'));
  editor.answer({ graph: graphOf('a'), source: file('a'), problems: [] });
  expect(shown()).toBe(editor.value.typed);
});

test('what is changed elsewhere comes into the text, and who writes stays where they are', () => {
  typeAt(at('id: c') + 5, 'c');
  editor.answer({ source: file('first', 'a', 'b', 'cc'), typed: undefined });
  expect(shown()).toBe(file('first', 'a', 'b', 'cc'));
  expect(view.state.selection.main.head).toBe(at('id: cc') + 6);
  expect(folded()).toEqual(['\n    kept:\n      as: it is']);
  undo(view);
  expect(shown()).toBe(file('first', 'a', 'b', 'c')); // what was typed here is taken back, what was done elsewhere is not
  expect(editor.value.typed).toBe(shown());
});

test('who goes to a node in the text selects it, and who writes in it does so no more', () => {
  view.dispatch({ selection: { anchor: at('id: b') } });
  expect(editor.value.selected).toEqual(['b']);
  view.dispatch({ selection: { anchor: at('id: w') } });
  expect(editor.value.selected).toEqual(['b']);
  typeAt(at('id: c') + 5, 'c');
  expect(editor.value.selected).toEqual(['b']);
  view.dispatch({ selection: { anchor: at('id: cc') } });
  expect(editor.value.selected).toEqual(['b']); // the workflow has no node cc, yet
});

test('a node that is selected elsewhere is gone to, unless the caret is in it', () => {
  editor.select(['b']);
  expect(view.state.selection.main.head).toBe(at('- id: b'));
  view.dispatch({ selection: { anchor: at('id: c') + 2 } });
  editor.select(['c']);
  expect(view.state.selection.main.head).toBe(at('id: c') + 2);
  editor.select(['a', 'b']);
  expect(view.state.selection.main.head).toBe(at('id: c') + 2);
});

test('a node whose text is not here yet is gone to when it comes, unless the person has gone elsewhere', () => {
  const renamed = (id: string) => editor.answer({ graph: graphOf('a', 'b', id), selected: [id] });
  renamed('see');
  expect(view.state.selection.main.head).toBe(0);
  editor.answer({ source: file('a', 'b', 'see') });
  expect(view.state.selection.main.head).toBe(at('- id: see'));
  renamed('sea');
  view.dispatch({ selection: { anchor: at('id: w') } });
  editor.answer({ source: file('a', 'b', 'sea') });
  expect(view.state.selection.main.head).toBe(at('id: w'));
});

test('undo takes back what was done to the workflow as long as nothing was typed here', () => {
  editor.change('Add', () => graphOf('a', 'b', 'c', 'd'));
  press('z', { ctrlKey: true });
  expect(editor.value.graph).toEqual(graphOf('a', 'b', 'c'));
  editor.redo();
  typeAt(0, '#');
  press('z', { ctrlKey: true });
  press('z', { ctrlKey: true });
  expect(shown()).toBe(file('a', 'b', 'c'));
  expect(editor.value.graph).toEqual(graphOf('a', 'b', 'c', 'd'));
});

test('what is not yet what was done elsewhere cannot be written in, or that would be lost', () => {
  expect(view.state.readOnly).toBe(false);
  editor.change('Add', () => graphOf('a', 'b', 'c', 'd'));
  expect(view.state.readOnly).toBe(true);
  editor.checked(editor.value.unchecked!, { graph: graphOf('a', 'b', 'c', 'd'), metadata: '', source: file('a', 'b', 'c', 'd'), hasComments: false, problems: [] });
  expect(view.state.readOnly).toBe(false);
  typeAt(at('id: w') + 4, 'x');
  expect(view.state.readOnly).toBe(false);
});

test('problems stand where they are, counted in characters, and are gone to by a key', () => {
  editor.answer({ source: file('🙂 a', 'b'), problems: [{ line: 7, column: 12, key: 'workflow.nodes[0].label', message: 'No.' }, { line: 99, column: 9, key: '', message: 'Shorter.' }] });
  expect(problems()).toEqual([' a: label: No.', ': Shorter.']);
  press('F8');
  expect(view.state.selection.main.from).toBe(at('🙂') + 2);
  press('F8', { shiftKey: true });
  expect(view.state.selection.main.from).toBe(shown().length);
  editor.answer({ problems: [] });
  expect(problems()).toEqual([]);
});

test('a file with other ends of lines is not taken for a changed one', () => {
  editor.answer({ source: file('a', 'b').replaceAll('\n', '\r\n') });
  expect(shown()).toBe(file('a', 'b'));
  editor.answer({ source: file('a', 'b', 'c').replaceAll('\n', '\r\n') });
  expect(shown()).toBe(file('a', 'b', 'c'));
  expect(editor.value.typed).toBeUndefined();
});
