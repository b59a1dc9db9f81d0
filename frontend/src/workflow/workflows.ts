import type { Client } from '../api/client.ts';
import type { UnsavedWorkflow, WorkflowFile } from '../api/types.gen.ts';
import type { Wire } from '../api/wire.ts';
import { Store } from '../ui/store.ts';
import type { LiveVault } from '../vault/vault.ts';
import { asJson } from './json.ts';
import { freePath, OpenWorkflow } from './open.ts';
import type { Place } from './place.ts';

const mostOpen = 6;

interface State {
  load: 'loading' | 'ready' | 'failed';
  why: string | undefined; // it could not be loaded
  folder: string; // of the project, if it has one
  files: readonly WorkflowFile[];
  drafts: readonly UnsavedWorkflow[]; // that have no file
}

/** The workflows of the project, and those that this page has open. Leaving one loses nothing, not even what could be undone. */
export class Workflows extends Store<State> {
  #open: OpenWorkflow[] = []; // what was looked at last is the last

  constructor(
    private readonly client: Client,
    wire: Wire,
    vault: LiveVault,
    private readonly say: (message: string) => void,
  ) {
    super({ load: 'loading', why: undefined, folder: '', files: [], drafts: [] });
    wire.onWorkflowsNotice(() => this.#look());
    vault.onOpen(() => this.#look());
  }

  /** Gives a workflow, opening it if it is not. */
  get({ file, session }: Place): OpenWorkflow {
    const isIt = ({ value: { place } }: OpenWorkflow) => place.file === file && place.session === session;
    const open = this.#open.find(isIt) ?? new OpenWorkflow({ file, session }, this.client, this.say);
    this.#open = [...this.#open.filter(each => each !== open), open];
    for (const old of this.#open.slice(0, -mostOpen)) void this.#leave(old);
    return open;
  }

  /** Loads the list, with the unsaved work of now. */
  async refresh(): Promise<void> {
    await Promise.all(this.#open.map(open => open.flush()));
    try {
      this.set({ load: 'ready', ...(await this.#list()) });
    } catch (error) {
      if (this.value.load !== 'ready') this.set({ load: 'failed', why: (error as Error).message });
    }
  }

  /** Begins a workflow, and gives its path. There is no file of it until it is saved. */
  async begin(): Promise<string> {
    const { files, drafts } = await this.#list(); // of now: another window may have begun one
    const open = this.#open.map(({ value }) => value);
    const path = freePath('workflow', [...files, ...drafts, ...open].map(each => each.path));
    const graph = {
      id: 'workflow',
      nodes: [{ id: 'input', type: 'input' as const }, { id: 'output', type: 'output' as const }],
      edges: [{ from: 'input', to: 'output' }],
    };
    await this.client.keepWorkflow(path, { source: asJson({ graph, metadata: '' }), replaces: '' }, false);
    return path;
  }

  /** Gives up unsaved work, and gives what brings it back. */
  async discard(path: string): Promise<() => Promise<void>> {
    const { draft } = await this.client.workflow(path);
    await this.client.dropWorkflow(path);
    this.#open = this.#open.filter(({ value }) => value.path !== path);
    await this.refresh();
    return async () => {
      if (draft) await this.client.keepWorkflow(path, draft, false);
      await this.refresh();
    };
  }

  /** Stores all unsaved work while there is still time. */
  async flush(): Promise<void> {
    await Promise.all(this.#open.map(open => open.flush({ urgent: true })));
  }

  /** Forgets one that was not looked at for long, as soon as it is kept. */
  async #leave(old: OpenWorkflow): Promise<void> {
    await old.flush();
    const isOld = this.#open.slice(0, -mostOpen).includes(old);
    if (isOld && old.value.unkept === undefined) this.#open = this.#open.filter(each => each !== old);
  }

  async #list(): Promise<Pick<State, 'folder' | 'files' | 'drafts'>> {
    const [{ folder, files }, { drafts }] = await Promise.all([this.client.workflows(), this.client.workflowDrafts()]);
    return { folder, files, drafts };
  }

  #look(): void {
    void this.refresh();
    for (const open of this.#open) void open.look();
  }
}
