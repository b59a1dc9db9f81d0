import type { FileProblem, WorkflowGraph } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';

/** What is edited. It is never changed in place: a step of undo is another one. */
export interface Draft {
  graph: WorkflowGraph;
  metadata: string; // of the file, as JSON text: only Go can keep all its numbers
}

interface Step {
  draft: Draft;
  what: string; // that led to it, for a person: "Add condition"
}

interface EditorState extends Draft {
  selected: readonly string[]; // the ids of nodes
  undo: string | undefined; // what would be taken back
  redo: string | undefined;
  problems: readonly FileProblem[]; // of what is edited, as they were found last
  source: string; // the file that it would become
}

/** A workflow that is edited: everything that a person does to it goes through change, and can be taken back. */
export class Editor extends Store<EditorState> {
  #past: Step[] = [];
  #future: Step[] = [];

  constructor(draft: Draft) {
    super({ ...draft, selected: [], undo: undefined, redo: undefined, problems: [], source: '' });
  }

  /** Does something. Steps of the same kind in a row, as letters that are typed into one field, are one. */
  change(what: string, to: (graph: WorkflowGraph) => WorkflowGraph, kind?: string): void {
    const graph = to(this.value.graph);
    if (graph === this.value.graph) return;
    void kind;
    this.#past.push({ draft: { graph: this.value.graph, metadata: this.value.metadata }, what });
    this.#future = [];
    this.#show({ graph, metadata: this.value.metadata });
  }

  select(ids: readonly string[]): void {
    this.set({ selected: ids });
  }

  undo(): void {
    const step = this.#past.pop();
    if (!step) return;
    this.#future.push({ draft: { graph: this.value.graph, metadata: this.value.metadata }, what: step.what });
    this.#show(step.draft);
  }

  redo(): void {
    const step = this.#future.pop();
    if (!step) return;
    this.#past.push({ draft: { graph: this.value.graph, metadata: this.value.metadata }, what: step.what });
    this.#show(step.draft);
  }

  #show(draft: Draft): void {
    this.set({ ...draft, undo: this.#past.at(-1)?.what, redo: this.#future.at(-1)?.what });
  }
}
