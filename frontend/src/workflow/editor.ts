import type { CheckedWorkflow, FileProblem, WorkflowGraph, WorkflowToCheck } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import { workflowText } from './text.ts';

/**
 * How many steps can be taken back, and how many characters of files as they were typed are kept for that. What two steps have of a
 * graph in common is there once; a text is there anew with each pause of typing.
 */
const mostSteps = 500;
const mostTyped = 50_000_000;

/** After so many milliseconds what is typed next is a step of its own. */
const pause = 1_000;

/** What is edited. It is never changed in place: a step of undo is another one. */
export interface Draft {
  graph: WorkflowGraph;
  metadata: string; // of the file, as JSON text: only Go can keep all its numbers
  written?: string; // the whole file as a person wrote it, comments and all; if none did, the door writes it
}

/** Where undo comes back to. */
interface Moment extends Draft {
  typed?: string; // a file that could not be read, or was not yet; the rest is what it was before
  selected: readonly string[]; // the ids of nodes, each of which is there
}

interface Step {
  before: Moment;
  what: string; // was done, for a person: "Add condition"
}

export interface EditorState extends Moment {
  undo: string | undefined; // what would be taken back
  redo: string | undefined;
  problems: readonly FileProblem[]; // of what is edited, as they were found last
  source: string; // the file that it becomes, as it was known last
  hasComments: boolean; // in that
  /** What the door was not asked about yet. Until it was, problems and source are those of before. */
  unchecked: WorkflowToCheck | undefined;
}

const nothing: WorkflowGraph = { id: '', nodes: [], edges: [] };

/** A workflow that is edited: everything that a person does to it goes through here, and can be taken back. It asks nobody. */
export class Editor extends Store<EditorState> {
  #past: Step[] = [];
  #future: Step[] = [];
  #kind: string | undefined; // of the last step, and when it went on
  #at = 0;

  constructor(draft: Draft) {
    super({ ...draft, selected: [], undo: undefined, redo: undefined, problems: [], source: '', hasComments: false, unchecked: undefined });
    this.#show({ ...draft, selected: [] });
  }

  /** Edits a file that the door has read, or could not read. */
  static of(file: CheckedWorkflow): Editor {
    const editor = new Editor({ graph: nothing, metadata: '' });
    editor.#take(file);
    return editor;
  }

  /** Does something. Steps of the same kind in a row, as letters that are typed into one field, are one. */
  change(what: string, to: (graph: WorkflowGraph) => WorkflowGraph, kind?: string): void {
    const { graph: before, metadata, selected } = this.value;
    const graph = to(before);
    if (graph === before) return;
    this.#step(what, kind);
    this.#show({ graph, metadata, selected });
  }

  /** Takes what a person typed as the whole file. While it cannot be read, the graph stays what it was. */
  type(typed: string): void {
    const { graph, metadata, selected, source, typed: before } = this.value;
    if (typed === (before ?? source)) return;
    if (before === undefined) this.#step(workflowText.typed, 'file');
    this.#future = [];
    this.#show({ graph, metadata, typed, selected });
  }

  /** Puts another file in the place of this one. */
  replace(what: string, file: CheckedWorkflow): void {
    this.#step(what);
    this.#take(file);
  }

  select(ids: readonly string[]): void {
    this.set({ selected: present(ids, this.value.graph) });
  }

  undo(): void {
    this.#go(this.#past, this.#future);
  }

  redo(): void {
    this.#go(this.#future, this.#past);
  }

  /** Takes what the door found, if nothing was done since it was asked. */
  checked(asked: WorkflowToCheck, { source, graph, metadata, problems, hasComments }: CheckedWorkflow): void {
    const { unchecked, typed, selected, metadata: before } = this.value;
    if (asked !== unchecked) return;
    const read = graph && { graph, metadata: metadata === before ? before : metadata, written: typed, typed: undefined, source: typed, selected: present(selected, graph) };
    this.set({ unchecked: undefined, problems, hasComments, ...(typed === undefined ? { source: asked.source ?? source } : read) });
  }

  get #now(): Moment {
    const { graph, metadata, written, typed, selected } = this.value;
    return { graph, metadata, written, typed, selected };
  }

  #take(file: CheckedWorkflow): void {
    this.#show({ ...this.#now, written: undefined, typed: file.source });
    this.checked(this.value.unchecked!, file);
  }

  /** Remembers what is there before something is done to it. */
  #step(what: string, kind?: string): void {
    const now = performance.now();
    const goesOn = kind !== undefined && kind === this.#kind && now - this.#at < pause;
    this.#kind = kind;
    this.#at = now;
    this.#future = [];
    if (!goesOn) this.#past = latest([...this.#past, { before: this.#now, what }]);
  }

  #go(from: Step[], to: Step[]): void {
    const step = from.pop();
    if (!step) return;
    to.push({ before: this.#now, what: step.what });
    this.#kind = undefined;
    this.#show(step.before);
  }

  #show({ graph, metadata, written, typed, selected }: Moment): void {
    const text = typed ?? written;
    this.set({
      graph,
      metadata,
      written,
      typed,
      selected: present(selected, graph),
      undo: this.#past.at(-1)?.what,
      redo: this.#future.at(-1)?.what,
      source: written ?? (typed === undefined ? (this.value.typed ?? this.value.source) : this.value.source),
      unchecked: text === undefined ? { graph, metadata } : { source: text },
    });
  }
}

/** The last of some steps: at least one, and as many as there is room for. */
function latest(steps: readonly Step[]): Step[] {
  const least = Math.max(0, steps.length - mostSteps);
  let from = steps.length;
  let typed = 0;
  do {
    const { before } = steps[--from]!;
    typed += (before.typed ?? before.written ?? '').length;
  } while (from > least && typed < mostTyped);
  return steps.slice(from);
}

/** Those ids that nodes have: the same array if all do. */
function present(ids: readonly string[], { nodes }: WorkflowGraph): readonly string[] {
  const known = new Set(nodes.map(({ id }) => id));
  return ids.every(id => known.has(id)) ? ids : ids.filter(id => known.has(id));
}
