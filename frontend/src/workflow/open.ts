import { ApiError, type Client } from '../api/client.ts';
import type { CheckedWorkflow, OpenedWorkflow } from '../api/types.gen.ts';
import { Store } from '../ui/store.ts';
import { Checking } from './checking.ts';
import { Editor } from './editor.ts';
import { asJson } from './json.ts';
import { Keeping } from './keeping.ts';
import type { Place } from './place.ts';
import { workflowText as text } from './text.ts';

/** What a browser lets outlive a page, in bytes. */
const mostUrgent = 60_000;

interface State {
  load: 'loading' | 'ready' | 'missing' | 'failed';
  why: string | undefined; // it could not be loaded
  editor: Editor | undefined; // there when it is ready, and always the same from then on
  place: Place;
  path: string; // of the file, or that it would have
  version: string; // of the file that saving replaces; '' if there is none
  session: string | undefined; // that it was made of, and is not saved yet
  warnings: readonly string[]; // what to look at before it is saved
  isChanged: boolean; // it differs from the file
  isRestored: boolean; // unsaved work of an earlier time was taken up
  isSaving: boolean;
  /** The file as somebody else left it, while there is unsaved work here: a person decides. */
  theirs: OpenedWorkflow | 'gone' | undefined;
  unchecked: string | undefined; // why it could not be checked
  unkept: string | undefined; // why what is unsaved could not be kept
}

/** A workflow that this page has open: what is edited, its file, and the unsaved work that is kept for it. */
export class OpenWorkflow extends Store<State> {
  readonly id = crypto.randomUUID(); // for the page: it stays when the file gets another name
  #saved: CheckedWorkflow | undefined; // the file, as it was read or written last
  #checking: Checking | undefined;
  #keeping: Keeping | undefined;
  #turn: Promise<unknown> = Promise.resolve(); // what is done with the file: one thing at a time
  #graph: unknown; // as it was seen last

  constructor(
    place: Place,
    private readonly client: Client,
    private readonly say: (message: string) => void,
  ) {
    super({
      load: 'loading',
      why: undefined,
      editor: undefined,
      place,
      path: place.file ?? '',
      version: '',
      session: place.session,
      warnings: [],
      isChanged: false,
      isRestored: false,
      isSaving: false,
      theirs: undefined,
      unchecked: undefined,
      unkept: undefined,
    });
    void this.load();
  }

  async load(): Promise<void> {
    const { file, session } = this.value.place;
    this.set({ load: 'loading', why: undefined });
    try {
      await this.#begin(file ? await this.client.workflow(file) : await this.#export(session!));
    } catch (error) {
      this.set({ load: file && isMissing(error) ? 'missing' : 'failed', why: (error as Error).message });
    }
  }

  /** What a person should know before they save, if there is anything. */
  async doubts(): Promise<string[]> {
    await this.#checking!.now();
    const { problems, hasComments, typed } = this.value.editor!.value;
    return [
      ...(this.#saved?.hasComments && !hasComments ? [text.save.comments] : []),
      ...(typed === undefined ? [] : [text.save.unreadable]),
      ...(problems.length > 0 ? [text.save.problems(problems.length)] : []),
    ];
  }

  /** Writes the file: over the version that was read, or a new one. Nothing that somebody else wrote is overwritten. */
  save(path: string = this.value.path): Promise<void> {
    return this.#inTurn(async () => {
      this.set({ isSaving: true });
      try {
        await this.#save(path);
      } catch (error) {
        if (error instanceof ApiError && error.type === 'conflict' && path === this.value.path) await this.#compare();
        throw error;
      } finally {
        this.set({ isSaving: false });
      }
    });
  }

  /** Looks whether somebody else changed the file, and does what had to wait for the door. */
  async look(): Promise<void> {
    if (this.value.load === 'loading') return;
    if (this.value.load !== 'ready') return this.load();
    void this.#checking!.now();
    void this.#keeping!.flush();
    await this.#inTurn(() => this.#compare());
  }

  /** Shows the file as somebody else left it. What was here is one undo away. */
  takeTheirs(): void {
    const { theirs } = this.value;
    if (theirs && theirs !== 'gone') this.#take(text.reload, theirs);
  }

  /** Goes on with what is here: saving replaces what somebody else wrote. */
  keepMine(): void {
    const { theirs } = this.value;
    if (!theirs) return;
    const file = theirs === 'gone' ? undefined : theirs;
    this.#saved = file?.checked;
    this.set({ version: file?.version ?? '', theirs: undefined, isRestored: false });
    this.#edited();
    this.#keeping!.again(); // with the version that it replaces now
  }

  /** Gives up unsaved work that was taken up: what was saved, or exported, is there again. What was here is one undo away. */
  async discard(): Promise<void> {
    if (this.#saved) return this.#take(text.discard, { version: this.value.version, checked: this.#saved });
    this.#take(text.discard, await this.#exported(this.value.session!));
  }

  /** The unsaved work was seen to be taken up. */
  dismissRestored(): void {
    this.set({ isRestored: false });
  }

  flush(how?: { urgent: boolean }): Promise<void> | undefined {
    return this.#keeping?.flush(how);
  }

  /** A session as a workflow: that of its unsaved work, if there is any. */
  async #export(session: string): Promise<OpenedWorkflow> {
    const [{ files }, { drafts }] = await Promise.all([this.client.workflows(), this.client.workflowDrafts()]);
    const draft = drafts.find(each => each.session === session);
    if (draft) return this.client.workflow(draft.path);
    const { name, ...exported } = await this.#exported(session);
    return { path: freePath(name, [...files, ...drafts].map(({ path }) => path)), ...exported };
  }

  async #exported(session: string): Promise<{ name: string; version: string; checked: CheckedWorkflow }> {
    const { name, content, warnings } = await this.client.export(session, 'canvas');
    const checked = await this.client.checkWorkflow({ source: content });
    this.set({ warnings });
    return { name, version: '', checked };
  }

  async #begin({ path, version, checked, draft: shelved }: OpenedWorkflow): Promise<void> {
    const kept = shelved && (await this.#read(shelved.source));
    const hasFile = version !== '';
    const isSaved = hasFile && kept?.source === checked.source; // and the page was gone before it could clear the shelf
    const draft = isSaved ? undefined : shelved;
    this.#saved = hasFile || !draft ? checked : undefined;
    const editor = Editor.of(this.#saved ?? kept!);
    if (kept && hasFile && !isSaved) editor.replace(text.restore, kept);
    const isOutdated = draft && draft.replaces !== version;
    this.set({
      load: 'ready',
      editor,
      path,
      version: draft?.replaces ?? version,
      session: draft?.session ?? this.value.session,
      isRestored: draft !== undefined && (hasFile || this.value.place.session !== undefined),
      theirs: isOutdated ? (hasFile ? { path, version, checked } : 'gone') : undefined,
    });
    this.#checking = new Checking(editor, this.client, unchecked => this.set({ unchecked }));
    this.#keep(editor, shelved?.source);
    editor.subscribe(() => this.#edited());
    this.#edited();
  }

  /** Reads unsaved work, which this page kept in a form of its own if the door had not written it yet. */
  async #read(source: string): Promise<CheckedWorkflow> {
    const checked = await this.client.checkWorkflow({ source });
    const { graph, metadata } = checked;
    return source.startsWith('{') && graph ? this.client.checkWorkflow({ graph, metadata }) : checked;
  }

  async #save(path: string): Promise<void> {
    const { editor, path: before, session, version } = this.value;
    if (!(await this.#checking!.now())) throw new Error(this.value.unchecked);
    const { graph, metadata, typed, hasComments, problems } = editor!.value;
    const source = this.#source!;
    if (path !== before && (await this.client.workflowDrafts()).drafts.some(draft => draft.path === path)) throw new Error(text.save.unsaved);
    const saved = await this.client.saveWorkflow(path, source, path === before ? version : '');
    this.#saved = { source, graph: typed === undefined ? graph : undefined, metadata, hasComments, problems: [...problems] };
    this.set({ place: { file: path }, path, version: saved.version, session: undefined, warnings: [], theirs: undefined, isRestored: false });
    if (path !== before) {
      await this.#keeping!.end();
      this.#keep(editor!, undefined);
    }
    this.#edited();
    await this.#keeping!.flush();
    if (session) await this.client.change(session, { exportedPath: saved.path }).catch((error: Error) => this.say(error.message));
  }

  async #compare(): Promise<void> {
    const { path } = this.value;
    const found = await this.client.workflow(path).catch((error: unknown) => (isMissing(error) ? 'gone' : undefined));
    if (!found) return; // the wire tells when it is worth asking again
    const { version, isChanged } = this.value; // of now: a person does not wait for the answer
    const theirs = found === 'gone' || found.version === '' ? 'gone' : found;
    if (theirs === 'gone' ? version === '' : theirs.version === version) return this.set({ theirs: undefined });
    if (isChanged) this.#keeping!.again(); // who saved it elsewhere had nothing unsaved any more
    if (theirs === 'gone' || isChanged || version === '') return this.set({ theirs });
    this.#take(text.reload, theirs);
    this.say(text.reloaded(path));
  }

  #take(what: string, { version, checked }: Pick<OpenedWorkflow, 'version' | 'checked'>): void {
    this.#saved = checked;
    this.set({ version, theirs: undefined, isRestored: false });
    this.value.editor!.replace(what, checked);
  }

  #keep(editor: Editor, kept: string | undefined): void {
    const { path } = this.value;
    this.#keeping = new Keeping(
      {
        put: (source, urgent) => this.client.keepWorkflow(path, { source, replaces: this.value.version, session: this.value.session }, urgent && source.length * 3 < mostUrgent),
        clear: () => this.client.dropWorkflow(path),
      },
      () => (this.value.isChanged ? (this.#source ?? asJson(editor.value)) : undefined),
      kept,
      unkept => this.set({ unkept }),
    );
  }

  /** What the file would be, if that is known. */
  get #source(): string | undefined {
    const { typed, written, unchecked, source } = this.value.editor!.value;
    return typed ?? written ?? (unchecked ? undefined : source);
  }

  #edited(): void {
    const { graph, typed } = this.value.editor!.value;
    const isChanged = !this.#saved || this.#source !== this.#saved.source;
    const isNews = isChanged !== this.value.isChanged || (typed ?? graph) !== this.#graph;
    if (!isNews) return;
    this.#graph = typed ?? graph;
    this.set({ isChanged });
    this.#keeping!.soon();
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => {});
    return done;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** A path like this one that no file has yet. */
export function freePath(path: string, taken: readonly string[]): string {
  const [, stem] = /^(.*?)(?:\.relavium\.yaml)?$/s.exec(path)!;
  for (let n = 1; ; n++) {
    const free = `${stem}${n === 1 ? '' : `-${n}`}.relavium.yaml`;
    if (!taken.includes(free)) return free;
  }
}
