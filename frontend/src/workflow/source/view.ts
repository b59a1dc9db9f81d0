import { defaultKeymap, history, historyKeymap, indentWithTab, redoDepth, undoDepth } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, codeFolding, foldEffect, foldGutter, foldKeymap, forceParsing, indentOnInput } from '@codemirror/language';
import { forEachDiagnostic, lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, Transaction, type Extension, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, type Command, type KeyBinding, type ViewUpdate } from '@codemirror/view';
import type { Editor } from '../editor.ts';
import { stretchOf, toDiagnostics, type Problem } from './diagnostics.ts';
import { changes } from './diff.ts';
import { hangingLines } from './hang.ts';
import { look } from './look.ts';
import { nodeStretches, section, type NodeStretch } from './outline.ts';
import { sourceText } from './text.ts';

const aScreen = 3000; // characters

/** Marks what was not done here: it follows what was done to the workflow elsewhere. */
const follows = Annotation.define<true>();

/** The file of a workflow in an editor of its own. Both follow each other until it is closed. */
export class SourceView {
  readonly #editor: Editor;
  readonly #view: EditorView;
  readonly #leave: () => void;
  #text: string; // that both have
  #problems: readonly Problem[] = [];
  #selected: readonly string[] = [];
  #isBehind = false;
  readonly #fixed = new Compartment();
  #goal: string | undefined; // the node that is to be gone to: its text may come later
  #nodesOf: { doc: Text; nodes: NodeStretch[] } | undefined; // of the document that they were looked for in last

  constructor(editor: Editor, parent: Element) {
    this.#editor = editor;
    this.#text = textOf(editor);
    const extensions = [this.#fixed.of([]), keymap.of(takingBack(editor)), writing, look, EditorView.updateListener.of(update => this.#updated(update))];
    this.#view = new EditorView({ parent, state: EditorState.create({ doc: lines(this.#text), extensions }) });
    const metadata = section(lines(this.#text), 'metadata');
    if (metadata) this.#view.dispatch({ effects: foldEffect.of(metadata) });
    this.#follow();
    this.#leave = editor.subscribe(() => this.#follow());
  }

  close(): void {
    this.#leave();
    this.#view.destroy();
  }

  /** Takes the person to a problem. */
  show(problem: Problem): void {
    const { from } = stretchOf(this.#view.state.doc, problem);
    this.#read(from);
    this.#view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    this.#view.focus();
  }

  /** Takes over what is another way in the workflow than here. */
  #follow(): void {
    const { problems, selected, unchecked } = this.#editor.value;
    const text = textOf(this.#editor);
    if (text !== this.#text) {
      this.#view.dispatch({ changes: changes(lines(this.#text), lines(text)), annotations: [follows.of(true), Transaction.addToHistory.of(false)] });
      this.#text = text;
    }
    // Who wrote in a text that lacks what was done elsewhere would take it back.
    const isBehind = unchecked?.graph !== undefined;
    if (isBehind !== this.#isBehind) {
      this.#isBehind = isBehind;
      this.#view.dispatch({ effects: this.#fixed.reconfigure(EditorState.readOnly.of(isBehind)) });
    }
    if (problems !== this.#problems) {
      this.#problems = problems;
      this.#view.dispatch(setDiagnostics(this.#view.state, toDiagnostics(this.#view.state.doc, problems)));
    }
    if (selected !== this.#selected) {
      this.#selected = selected;
      this.#goal = selected.length === 1 ? selected[0] : undefined;
    }
    if (this.#goal) this.#reveal(this.#goal);
  }

  /** Goes to a node, unless the person is in it. */
  #reveal(id: string): void {
    const place = this.#nodes().find(node => node.id === id);
    if (!place) return;
    this.#goal = undefined;
    if (place === this.#nodeAtCaret()) return;
    this.#read(place.from);
    this.#view.dispatch({
      selection: { anchor: place.from },
      effects: EditorView.scrollIntoView(place.from, { y: 'start', yMargin: 48 }),
      annotations: follows.of(true),
    });
  }

  /** Reads as far as is seen at a place. WebKit, which has no idle time to read in, would show it without colours at first. */
  #read(from: number): void {
    forceParsing(this.#view, Math.min(from + aScreen, this.#view.state.doc.length), 50);
  }

  #updated({ docChanged, selectionSet, transactions, state }: ViewUpdate): void {
    if (transactions.some(transaction => transaction.annotation(follows))) return;
    if (docChanged || selectionSet) this.#goal = undefined;
    if (docChanged) {
      this.#text = state.doc.toString();
      this.#editor.type(this.#text);
    } else if (selectionSet) {
      const id = this.#nodeAtCaret()?.id;
      if (id !== undefined && this.#editor.value.graph.nodes.some(node => node.id === id)) this.#editor.select([id]);
    }
  }

  #nodeAtCaret(): NodeStretch | undefined {
    const { head } = this.#view.state.selection.main;
    const line = this.#view.state.doc.lineAt(head);
    return this.#nodes().find(({ from, to }) => from <= line.to && line.from <= to);
  }

  #nodes(): NodeStretch[] {
    const { doc } = this.#view.state;
    if (this.#nodesOf?.doc !== doc) this.#nodesOf = { doc, nodes: nodeStretches(doc.toString()) };
    return this.#nodesOf.nodes;
  }
}

/** What is to be seen: what was typed, or what the workflow is as a file. */
function textOf({ value: { typed, source } }: Editor): string {
  return typed ?? source;
}

/** A text with the ends of lines that CodeMirror has. */
function lines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Undo and redo are those of the workflow as long as nothing was typed here. */
function takingBack(editor: Editor): KeyBinding[] {
  const redo = untilTyped(() => editor.redo());
  return [
    { key: 'Mod-z', run: untilTyped(() => editor.undo()), shift: redo },
    { key: 'Mod-y', run: redo },
  ];
}

function untilTyped(run: () => void): Command {
  return ({ state }) => {
    if (undoDepth(state) + redoDepth(state) > 0) return false;
    run();
    return true;
  };
}

/** Moves to a problem, and says it. */
function told(go: Command): Command {
  return view => {
    if (!go(view)) return false;
    const { from } = view.state.selection.main;
    forEachDiagnostic(view.state, ({ message }, at) => {
      if (at === from) view.dispatch({ effects: EditorView.announce.of(message) });
    });
    return true;
  };
}

/** What there is to write with. */
const writing: Extension = [
  lintGutter(),
  lineNumbers(),
  foldGutter(),
  codeFolding(),
  history(),
  drawSelection(),
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  bracketMatching(),
  indentOnInput(),
  search({ top: true }),
  yaml(),
  EditorView.lineWrapping,
  hangingLines,
  EditorState.phrases.of(sourceText.phrases),
  EditorView.contentAttributes.of({ 'aria-label': sourceText.label, tabindex: '0' }),
  keymap.of([
    { key: 'F8', run: told(nextDiagnostic), shift: told(previousDiagnostic) },
    indentWithTab,
    ...defaultKeymap,
    ...historyKeymap,
    ...searchKeymap,
    ...foldKeymap,
  ]),
];
