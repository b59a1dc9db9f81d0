import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import type { CheckedWorkflow, WorkflowDraft, WorkflowGraph, WorkflowToCheck } from '../api/types.gen.ts';
import type { OpenWorkflow } from './open.ts';
import type { Place } from './place.ts';
import { Workflows } from './workflows.ts';

export const path = 'garden.relavium.yaml';
export const versionOf = (source: string) => `version of ${source}`;

export const name = (open: OpenWorkflow, to: string) => open.value.editor!.change('Name it', graph => ({ ...graph, name: to }));
export const nameOf = (open: OpenWorkflow) => open.value.editor!.value.graph.name;

const empty = () => new Response(null, { status: 204 });

/** A server with a file, and unsaved work, as a test wants them. What a file says is the name of its workflow: "name: A". */
export class ScriptedProject extends ScriptedServer {
  readonly files = new Map([[path, 'name: A']]);
  readonly drafts = new Map<string, WorkflowDraft>();
  /** What the page told by the way. */
  readonly said: string[] = [];
  workflows = this.#page();

  constructor() {
    super();
    const { answers, files, drafts } = this;
    answers.set('POST /workflows/check', (_, asked) => check(asked as WorkflowToCheck));
    answers.set('GET /workflows', () => ({ folder: '', files: [...files.keys()].map(each => ({ path: each })) }));
    answers.set('GET /workflows/drafts', () => ({ drafts: [...drafts].filter(([each]) => !files.has(each)).map(([each, { session }]) => ({ path: each, session, changedAt: 1 })) }));
    answers.set('GET /workflows/file', query => {
      const at = query.get('path')!;
      const source = files.get(at);
      if (source === undefined && !drafts.has(at)) return refusal(404, 'not_found', 'There is no such workflow.');
      return { path: at, version: source === undefined ? '' : versionOf(source), checked: check({ source: source ?? '' }), draft: drafts.get(at) };
    });
    answers.set('PUT /workflows/file', (query, body) => {
      const { source, replaces } = body as { source: string; replaces: string };
      const at = query.get('path')!;
      const before = files.get(at);
      if ((before === undefined ? '' : versionOf(before)) !== replaces) return refusal(409, 'conflict', 'The file is another one by now.');
      files.set(at, source);
      return { path: `/project/${at}`, version: versionOf(source) };
    });
    answers.set('PUT /workflows/draft', (query, body) => (drafts.set(query.get('path')!, body as WorkflowDraft), empty()));
    answers.set('DELETE /workflows/draft', query => (drafts.delete(query.get('path')!), empty()));
  }

  /** Opens a workflow, and waits until it is. */
  async open(place: Place = { file: path }): Promise<OpenWorkflow> {
    const open = this.workflows.get(place);
    await pass();
    return open;
  }

  /** Forgets what the page knew. */
  reload(): void {
    this.workflows = this.#page();
  }

  /** Somebody else writes a file, and the server tells. */
  async write(source: string | undefined, at = path): Promise<void> {
    if (source === undefined) this.files.delete(at);
    else this.files.set(at, source);
    this.socket.say({ type: 'workflows' });
    await pass();
  }

  #page(): Workflows {
    return new Workflows(this.client, this.wire, this.vault, message => this.said.push(message));
  }
}

function check({ source, graph, metadata }: WorkflowToCheck): CheckedWorkflow {
  const problems = [{ line: 1, column: 1, message: 'No.' }];
  if (source === undefined) return { source: `name: ${graph!.name}`, graph, metadata: metadata!, hasComments: false, problems: graph!.name === 'bad' ? problems : [] };
  const title = source.startsWith('{') ? (JSON.parse(source) as { workflow: WorkflowGraph }).workflow.name : /^name: (\w+)/.exec(source)?.[1];
  const read: WorkflowGraph = { id: 'garden', name: title, nodes: [{ id: 'input', type: 'input' }], edges: [] };
  return { source, graph: title ? read : undefined, metadata: '', hasComments: source.includes('#'), problems: title ? [] : problems };
}
