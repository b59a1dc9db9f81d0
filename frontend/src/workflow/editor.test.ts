import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass } from '../api/scripted.ts';
import type { CheckedWorkflow, WorkflowGraph } from '../api/types.gen.ts';
import { Editor } from './editor.ts';
import { asJson } from './json.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const graph: WorkflowGraph = { id: 'garden', nodes: [{ id: 'input', type: 'input' }, { id: 'output', type: 'output' }], edges: [] };
const named = (name: string) => (of: WorkflowGraph) => ({ ...of, name });
const without = (id: string) => (of: WorkflowGraph) => ({ ...of, nodes: of.nodes.filter(node => node.id !== id) });

/** What the door says of a file. */
const read = (source: string, more: Partial<CheckedWorkflow> = {}): CheckedWorkflow => ({
  source,
  graph: { ...graph, name: source },
  metadata: '',
  hasComments: false,
  problems: [],
  ...more,
});
const problem = { line: 1, column: 1, message: 'No.' };
const answer = (editor: Editor, checked: CheckedWorkflow) => editor.checked(editor.value.unchecked!, checked);

const opened = () => Editor.of(read('first'));

describe('steps', () => {
  test('are taken back, and done again', () => {
    const editor = new Editor({ graph, metadata: '1' });
    editor.change('Name it', named('A'));
    editor.change('Rename it', named('B'));
    expect(editor.value).toMatchObject({ undo: 'Rename it', redo: undefined, graph: { name: 'B' } });
    editor.undo();
    expect(editor.value).toMatchObject({ undo: 'Name it', redo: 'Rename it', graph: { name: 'A' } });
    editor.undo();
    expect(editor.value.graph).toBe(graph);
    editor.undo();
    editor.redo();
    editor.redo();
    editor.redo();
    expect(editor.value).toMatchObject({ undo: 'Rename it', redo: undefined, graph: { name: 'B' }, metadata: '1' });
  });

  test('that change nothing are none', () => {
    const editor = new Editor({ graph, metadata: '' });
    editor.change('Nothing', of => of);
    expect(editor.value.undo).toBeUndefined();
  });

  test('of a long text that was typed are as many as there is room for', async () => {
    const editor = opened();
    for (let n = 0; n < 40; n++) {
      editor.type(`${n}`.repeat(4_000_000));
      answer(editor, read('typed'));
      await pass(1_000);
    }
    let steps = 0;
    for (; editor.value.undo; steps++) editor.undo();
    expect(steps).toBeGreaterThan(5);
    expect(steps).toBeLessThan(20);
  });

  test('after something was taken back leave nothing to do again', () => {
    const editor = new Editor({ graph, metadata: '' });
    editor.change('Name it', named('A'));
    editor.undo();
    editor.change('Name it', named('B'));
    expect(editor.value.redo).toBeUndefined();
  });

  test('of one kind in a row are one, until there is a pause, or another between', async () => {
    const editor = new Editor({ graph, metadata: '' });
    for (const name of ['A', 'Ab', 'Abc']) editor.change('Type', named(name), 'name');
    await pass(1_500);
    editor.change('Type', named('Abcd'), 'name');
    editor.undo();
    expect(editor.value.graph.name).toBe('Abc');
    editor.change('Type', named('Abcx'), 'name');
    editor.undo();
    expect(editor.value.graph.name).toBe('Abc');
    editor.undo();
    expect(editor.value.graph).toBe(graph);
  });

  test('are remembered up to a bound', () => {
    const editor = new Editor({ graph, metadata: '' });
    for (let n = 0; n < 600; n++) editor.change('Name it', named(String(n)));
    for (let n = 0; n < 600; n++) editor.undo();
    expect(editor.value.graph.name).toBe('99');
  });
});

describe('what is selected', () => {
  test('is there', () => {
    const editor = new Editor({ graph, metadata: '' });
    editor.select(['input', 'nobody']);
    expect(editor.value.selected).toEqual(['input']);
    editor.select(['input', 'output']);
    editor.change('Remove it', without('input'));
    expect(editor.value.selected).toEqual(['output']);
  });

  test('is what it was, where undo and redo lead', () => {
    const editor = new Editor({ graph: without('output')(graph), metadata: '' });
    editor.select(['input']);
    editor.change('Add output', () => graph);
    editor.select(['output']);
    editor.undo();
    expect(editor.value.selected).toEqual(['input']);
    editor.redo();
    expect(editor.value.selected).toEqual(['output']);
  });
});

describe('a check', () => {
  test('tells the file and its problems', () => {
    const editor = new Editor({ graph, metadata: '{"a":1.0}' });
    expect(editor.value.unchecked).toEqual({ graph, metadata: '{"a":1.0}' });
    answer(editor, read('written', { problems: [problem] }));
    expect(editor.value).toMatchObject({ unchecked: undefined, source: 'written', problems: [problem] });
    expect(editor.value.graph).toBe(graph);
  });

  test('of what was changed meanwhile says nothing', () => {
    const editor = new Editor({ graph, metadata: '' });
    const asked = editor.value.unchecked!;
    editor.change('Name it', named('A'));
    editor.checked(asked, read('written'));
    expect(editor.value).toMatchObject({ source: '', unchecked: { graph: { name: 'A' } } });
  });
});

describe('what is typed', () => {
  test('becomes the graph when it could be read, and is a step for each row of letters', () => {
    const editor = opened();
    editor.type('seco');
    expect(editor.value).toMatchObject({ typed: 'seco', source: 'first', graph: { name: 'first' }, unchecked: { source: 'seco' } });
    answer(editor, read('seco'));
    editor.type('second');
    answer(editor, read('second', { hasComments: true }));
    expect(editor.value).toMatchObject({ typed: undefined, source: 'second', written: 'second', graph: { name: 'second' }, hasComments: true });
    editor.undo();
    expect(editor.value).toMatchObject({ source: 'first', written: 'first', graph: { name: 'first' } });
    editor.redo();
    expect(editor.value).toMatchObject({ written: 'second', graph: { name: 'second' } });
  });

  test('leaves the graph as it was while it cannot be read', () => {
    const editor = opened();
    editor.type(': no');
    answer(editor, read(': no', { graph: undefined, problems: [problem] }));
    expect(editor.value).toMatchObject({ typed: ': no', source: 'first', graph: { name: 'first' }, problems: [problem] });
    editor.undo();
    expect(editor.value).toMatchObject({ typed: undefined, source: 'first' });
    editor.redo();
    expect(editor.value.typed).toBe(': no');
  });

  test('comes back when the change that replaced it is taken back, and is shown until the door has written another', () => {
    const editor = opened();
    editor.type(': no');
    editor.change('Name it', named('A'));
    expect(editor.value).toMatchObject({ typed: undefined, source: ': no', unchecked: { graph: { name: 'A' } } });
    editor.undo();
    expect(editor.value).toMatchObject({ typed: ': no', graph: { name: 'first' } });
  });

  test('as it stands already is no step', () => {
    const editor = opened();
    editor.type('first');
    expect(editor.value).toMatchObject({ undo: undefined, unchecked: undefined });
  });
});

test('a file that could not be read is what was typed', () => {
  const editor = Editor.of(read(': no', { graph: undefined, problems: [problem] }));
  expect(editor.value).toMatchObject({ typed: ': no', problems: [problem], graph: { nodes: [] }, undo: undefined });
});

test('another file in the place of this one is a step', () => {
  const editor = Editor.of(read('mine'));
  editor.replace('Reload', read('theirs', { metadata: '{}' }));
  expect(editor.value).toMatchObject({ undo: 'Reload', source: 'theirs', metadata: '{}', unchecked: undefined });
  editor.undo();
  expect(editor.value).toMatchObject({ source: 'mine', metadata: '' });
});

test('a workflow as JSON keeps the digits of its metadata, and has no character that YAML refuses', () => {
  const text = asJson({ graph: { ...graph, name: 'a\u007F\uFEFFb' }, metadata: '{"n":1.10,"big":12345678901234567890}' });
  expect(text).toContain('"metadata":{"n":1.10,"big":12345678901234567890}}}');
  expect(text).toContain('a\\u007f\\ufeffb');
  expect((JSON.parse(text) as { workflow: WorkflowGraph }).workflow).toMatchObject({ id: 'garden', name: 'a\u007F\uFEFFb' });
});
