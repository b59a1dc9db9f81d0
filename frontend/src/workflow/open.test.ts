import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass, refusal, ScriptedServer } from '../api/scripted.ts';
import type { CheckedWorkflow, WorkflowDraft, WorkflowGraph, WorkflowToCheck } from '../api/types.gen.ts';
import type { OpenWorkflow } from './open.ts';
import type { Place } from './place.ts';
import { workflowText as text } from './text.ts';
import { Workflows } from './workflows.ts';

let server: ScriptedServer;
let workflows: Workflows;
let said: string[];

/** What the door has: files and unsaved work, by their paths. A file of this test says the name of its workflow: "name: A". */
let files: Map<string, string>;
let drafts: Map<string, WorkflowDraft>;

const path = 'garden.relavium.yaml';
const versionOf = (source: string) => `version of ${source}`;

function check({ source, graph, metadata }: WorkflowToCheck): CheckedWorkflow {
  if (source === undefined) return { source: `name: ${graph!.name}`, graph, metadata: metadata!, hasComments: false, problems: graph!.name === 'bad' ? [{ line: 1, column: 1, message: 'No.' }] : [] };
  const name = source.startsWith('{') ? (JSON.parse(source) as { workflow: WorkflowGraph }).workflow.name : /^name: (\w+)/.exec(source)?.[1];
  const read: WorkflowGraph = { id: 'garden', name, nodes: [{ id: 'input', type: 'input' }], edges: [] };
  return { source, graph: name ? read : undefined, metadata: '', hasComments: source.includes('#'), problems: name ? [] : [{ line: 1, column: 1, message: 'No.' }] };
}

beforeEach(async () => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  files = new Map([[path, 'name: A']]);
  drafts = new Map();
  const { answers } = server;
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
  answers.set('PUT /workflows/draft', (query, body) => (drafts.set(query.get('path')!, body as WorkflowDraft), new Response(null, { status: 204 })));
  answers.set('DELETE /workflows/draft', query => (drafts.delete(query.get('path')!), new Response(null, { status: 204 })));
  said = [];
  workflows = new Workflows(server.client, server.wire, server.vault, message => said.push(message));
  await server.start();
  server.asked.length = 0;
});

afterEach(async () => {
  await pass(1_000);
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function opened(place: Place = { file: path }): Promise<OpenWorkflow> {
  const open = workflows.get(place);
  await pass();
  return open;
}

const name = (open: OpenWorkflow, to: string) => open.value.editor!.change('Name it', graph => ({ ...graph, name: to }));
const nameOf = (open: OpenWorkflow) => open.value.editor!.value.graph.name;
const requests = (request: string) => server.asked.filter(each => each === request).length;

function gone(): never {
  throw new Error('gone');
}

/** Somebody else writes a file, and the door tells. */
async function written(source: string | undefined, at = path): Promise<void> {
  if (source === undefined) files.delete(at);
  else files.set(at, source);
  server.socket.say({ type: 'workflows' });
  await pass();
}

describe('what is edited', () => {
  test('is checked a moment later: one request at a time, about what is there by then', async () => {
    const open = await opened();
    const { editor } = open.value;
    const waiting: (() => void)[] = [];
    server.answers.set('POST /workflows/check', (_, asked) => new Promise(resolve => waiting.push(() => resolve(check(asked as WorkflowToCheck)))));
    name(open, 'B');
    await pass(200);
    name(open, 'C');
    await pass(200);
    expect(requests('POST /workflows/check')).toBe(0);
    await pass(50);
    name(open, 'bad');
    await pass(300);
    expect(requests('POST /workflows/check')).toBe(1);
    waiting[0]!();
    await pass();
    expect(editor!.value).toMatchObject({ source: 'name: A', problems: [] });
    waiting[1]!();
    await pass();
    expect(editor!.value).toMatchObject({ source: 'name: bad', problems: [{ message: 'No.' }], unchecked: undefined });
    expect(requests('POST /workflows/check')).toBe(2);
  });

  test('is kept within half a second, and no more when it is what the file says', async () => {
    const open = await opened();
    expect(open.value.isChanged).toBe(false);
    name(open, 'B');
    expect(open.value.isChanged).toBe(true);
    await pass(500);
    expect(drafts.get(path)).toMatchObject({ source: 'name: B', replaces: versionOf('name: A') });
    name(open, 'A');
    await pass(1_000);
    expect(open.value.isChanged).toBe(false);
    expect(drafts.size).toBe(0);
  });

  test('is kept also while somebody types and types', async () => {
    const open = await opened();
    for (const to of ['B', 'Be', 'Bee']) {
      name(open, to);
      await pass(200);
    }
    expect(drafts.size).toBe(1);
  });

  test('is kept at once when the page goes', async () => {
    const open = await opened();
    name(open, 'B');
    void workflows.flush();
    await pass();
    expect(drafts.size).toBe(1);
  });

  test('stays when the door is gone, which is said, and is kept when it is back', async () => {
    const open = await opened();
    const put = server.answers.get('PUT /workflows/draft')!;
    const checkIt = server.answers.get('POST /workflows/check')!;
    server.answers.set('PUT /workflows/draft', gone);
    server.answers.set('POST /workflows/check', gone);
    name(open, 'B');
    await pass(1_000);
    expect(open.value).toMatchObject({ unkept: expect.any(String) as string, unchecked: expect.any(String) as string, isChanged: true });
    await expect(open.save()).rejects.toThrow(open.value.unchecked);
    server.answers.set('PUT /workflows/draft', put);
    server.answers.set('POST /workflows/check', checkIt);
    server.socket.close();
    await pass(500);
    server.socket.accept();
    await pass();
    expect(drafts.size).toBe(1);
    expect(open.value).toMatchObject({ unkept: undefined, unchecked: undefined, isChanged: true });
    expect(nameOf(open)).toBe('B');
  });
});

describe('unsaved work', () => {
  test('is taken up, which is said, and can be discarded', async () => {
    drafts.set(path, { source: 'name: B # mine', replaces: versionOf('name: A') });
    const open = await opened();
    expect(open.value).toMatchObject({ isRestored: true, isChanged: true, theirs: undefined });
    expect(nameOf(open)).toBe('B');
    await open.discard();
    await pass(500);
    expect(open.value).toMatchObject({ isRestored: false, isChanged: false });
    expect(nameOf(open)).toBe('A');
    expect(drafts.size).toBe(0);
  });

  test('that the page kept in a form of its own is written by the door', async () => {
    const before = await opened();
    name(before, 'B');
    await workflows.flush();
    expect(drafts.get(path)).toMatchObject({ source: expect.stringContaining('"name":"B"') as string });
    workflows = new Workflows(server.client, server.wire, server.vault, () => {});
    const open = await opened();
    expect(open.value.editor!.value).toMatchObject({ source: 'name: B', graph: { name: 'B' } });
  });

  test('that could not be read is in the YAML tab as it was typed', async () => {
    drafts.set(path, { source: ': no', replaces: versionOf('name: A') });
    const open = await opened();
    expect(open.value.editor!.value).toMatchObject({ typed: ': no', graph: { name: 'A' } });
  });

  test('on a file that was changed since then asks which of both it shall be', async () => {
    drafts.set(path, { source: 'name: B', replaces: 'an older version' });
    const open = await opened();
    expect(open.value).toMatchObject({ theirs: { version: versionOf('name: A') } });
    await expect(open.save()).rejects.toThrow('another one');
    open.takeTheirs();
    expect(nameOf(open)).toBe('A');
    expect(open.value).toMatchObject({ theirs: undefined, isChanged: false });
    open.value.editor!.undo();
    expect(nameOf(open)).toBe('B');
  });

  test('that is what the file says already is none', async () => {
    files.set(path, 'name: B');
    drafts.set(path, { source: 'name: B', replaces: versionOf('name: A') }); // it was saved, and the page was gone at once
    const open = await opened();
    await pass(500);
    expect(open.value).toMatchObject({ isRestored: false, isChanged: false, theirs: undefined, version: versionOf('name: B') });
    expect(drafts.size).toBe(0);
  });

  test('of another window is not begun anew', async () => {
    drafts.set('workflow.relavium.yaml', { source: 'name: Other', replaces: '' });
    expect(await workflows.begin()).toBe('workflow-2.relavium.yaml');
    expect(drafts.get('workflow.relavium.yaml')).toMatchObject({ source: 'name: Other' });
  });

  test('without a file is begun, listed, opened again, and given up', async () => {
    const begun = await workflows.begin();
    expect(begun).toBe('workflow.relavium.yaml');
    await workflows.refresh();
    expect(workflows.value.drafts).toMatchObject([{ path: begun }]);
    const open = await opened({ file: begun });
    expect(open.value).toMatchObject({ load: 'ready', version: '', isChanged: true, isRestored: false });
    const undo = await workflows.discard(begun);
    expect(workflows.value.drafts).toEqual([]);
    await undo();
    expect(workflows.value.drafts).toMatchObject([{ path: begun }]);
  });
});

describe('saving', () => {
  test('replaces the version that was read, and leaves nothing unsaved', async () => {
    const open = await opened();
    name(open, 'B');
    await pass(500);
    expect(await open.doubts()).toEqual([]);
    await open.save();
    expect(files.get(path)).toBe('name: B');
    expect(open.value).toMatchObject({ version: versionOf('name: B'), isChanged: false, isSaving: false });
    expect(drafts.size).toBe(0);
    name(open, 'C');
    await open.save();
    expect(files.get(path)).toBe('name: C');
  });

  test('says before that comments are lost, and that problems are left', async () => {
    files.set(path, 'name: A # dear');
    const open = await opened();
    expect(await open.doubts()).toEqual([]);
    name(open, 'bad');
    expect(await open.doubts()).toEqual([text.save.comments, text.save.problems(1)]);
  });

  test('keeps what was typed as it was typed', async () => {
    const open = await opened();
    open.value.editor!.type('name: B # new');
    expect(await open.doubts()).toEqual([]);
    await open.save();
    expect(files.get(path)).toBe('name: B # new');
  });

  test('writes what cannot be read only as what was typed, and says so before', async () => {
    const open = await opened();
    open.value.editor!.type(': no');
    expect(await open.doubts()).toEqual([text.save.unreadable, text.save.problems(1)]);
    await open.save();
    expect(files.get(path)).toBe(': no');
    name(open, 'B');
    await open.discard();
    expect(open.value.editor!.value).toMatchObject({ typed: ': no', graph: { name: 'B' } });
    expect(open.value.isChanged).toBe(false);
  });

  test('does not wait for what is edited meanwhile, which stays unsaved', async () => {
    const open = await opened();
    name(open, 'B');
    const saved = open.save();
    const put = server.answers.get('PUT /workflows/file')!;
    server.answers.set('PUT /workflows/file', (query, body) => (name(open, 'C'), put(query, body)));
    await saved;
    expect(files.get(path)).toBe('name: B');
    expect(open.value.isChanged).toBe(true);
    await pass(500);
    expect(drafts.get(path)).toMatchObject({ replaces: versionOf('name: B') });
  });

  test('under another name leaves the first file alone, and its unsaved work nowhere', async () => {
    const open = await opened();
    name(open, 'B');
    await pass(500);
    await open.save('copy.relavium.yaml');
    expect([...files]).toEqual([[path, 'name: A'], ['copy.relavium.yaml', 'name: B']]);
    expect(open.value).toMatchObject({ path: 'copy.relavium.yaml', place: { file: 'copy.relavium.yaml' }, isChanged: false });
    expect(drafts.size).toBe(0);
    name(open, 'C');
    await pass(500);
    expect([...drafts.keys()]).toEqual(['copy.relavium.yaml']);
  });

  test('under another name keeps what is edited meanwhile with that', async () => {
    const open = await opened();
    name(open, 'B');
    await pass(500);
    const drop = server.answers.get('DELETE /workflows/draft')!;
    server.answers.set('DELETE /workflows/draft', (query, body) => (name(open, 'C'), drop(query, body)));
    await open.save('copy.relavium.yaml');
    await pass(1_000);
    expect([...drafts]).toMatchObject([['copy.relavium.yaml', { replaces: versionOf('name: B') }]]);
  });

  test('under another name leaves nothing at the first, whenever it was kept', async () => {
    const open = await opened();
    name(open, 'B');
    const keep = server.answers.get('PUT /workflows/draft')!;
    let arrive: (() => void) | undefined;
    server.answers.set('PUT /workflows/draft', (query, body) => new Promise(resolve => (arrive = () => resolve(keep(query, body)))));
    await pass(500);
    const saved = open.save('copy.relavium.yaml');
    await pass();
    arrive!();
    await saved;
    expect([...drafts.keys()]).toEqual([]);
  });

  test('under a name that is taken is refused', async () => {
    files.set('taken.relavium.yaml', 'name: T');
    const open = await opened();
    name(open, 'B');
    await expect(open.save('taken.relavium.yaml')).rejects.toThrow('another one');
    expect(files.get('taken.relavium.yaml')).toBe('name: T');
    expect(open.value).toMatchObject({ path, theirs: undefined, isChanged: true });
  });
});

describe('a file that somebody else changes', () => {
  test('is loaded again if nothing was edited', async () => {
    const open = await opened();
    await written('name: T');
    expect(nameOf(open)).toBe('T');
    expect(open.value).toMatchObject({ isChanged: false, version: versionOf('name: T'), theirs: undefined });
    expect(said).toEqual([text.reloaded(path)]);
  });

  test('is offered if something was, and mine replaces it if I say so', async () => {
    const open = await opened();
    name(open, 'B');
    await written('name: T');
    expect(nameOf(open)).toBe('B');
    expect(open.value.theirs).toMatchObject({ version: versionOf('name: T') });
    await expect(open.save()).rejects.toThrow('another one');
    expect(files.get(path)).toBe('name: T');
    open.keepMine();
    await open.save();
    expect(files.get(path)).toBe('name: B');
  });

  test('takes no place of what is edited while it is read', async () => {
    const open = await opened();
    const get = server.answers.get('GET /workflows/file')!;
    server.answers.set('GET /workflows/file', query => (name(open, 'B'), get(query, undefined)));
    await written('name: T');
    expect(nameOf(open)).toBe('B');
    expect(open.value.theirs).toMatchObject({ version: versionOf('name: T') });
  });

  test('and is overruled stays so when the page is opened again', async () => {
    const open = await opened();
    name(open, 'B');
    await pass(500);
    await written('name: T');
    open.keepMine();
    await pass(500);
    expect(drafts.get(path)).toMatchObject({ source: 'name: B', replaces: versionOf('name: T') });
  });

  test('in another window, which gives up the unsaved work of this one, finds it kept again', async () => {
    const open = await opened();
    name(open, 'B');
    await pass(500);
    drafts.clear(); // what was saved there had been unsaved there
    await written('name: T');
    await pass(500);
    expect(drafts.get(path)).toMatchObject({ source: 'name: B' });
  });

  test('is found by saving, if nobody told', async () => {
    const open = await opened();
    name(open, 'B');
    files.set(path, 'name: T');
    await expect(open.save()).rejects.toThrow('another one');
    expect(open.value.theirs).toMatchObject({ version: versionOf('name: T') });
  });

  test('and back again is no news', async () => {
    const open = await opened();
    name(open, 'B');
    await written('name: T');
    await written('name: A');
    expect(open.value.theirs).toBeUndefined();
  });

  test('is not this page that saves', async () => {
    const open = await opened();
    name(open, 'B');
    const { answers } = server;
    const [put, get] = [answers.get('PUT /workflows/file')!, answers.get('GET /workflows/file')!];
    // The notice is here before the answer, and what is read because of it after that.
    answers.set('GET /workflows/file', (query, body) => new Promise(resolve => setTimeout(() => resolve(get(query, body)), 100)));
    answers.set('PUT /workflows/file', async (query, body) => {
      server.socket.say({ type: 'workflows' });
      await pass(50);
      return put(query, body);
    });
    await open.save();
    await pass(200);
    expect(open.value).toMatchObject({ theirs: undefined, isChanged: false });
    expect(said).toEqual([]);
  });

  test('may be gone, and is written again if it is saved', async () => {
    const open = await opened();
    await written(undefined);
    expect(open.value.theirs).toBe('gone');
    open.keepMine();
    expect(open.value).toMatchObject({ version: '', isChanged: true });
    await open.save();
    expect(files.get(path)).toBe('name: A');
  });

  test('may come when there was none', async () => {
    const open = await opened({ file: 'late.relavium.yaml' });
    expect(open.value.load).toBe('missing');
    await written('name: L', 'late.relavium.yaml');
    expect(open.value.load).toBe('ready');
  });
});

describe('a session', () => {
  beforeEach(() => {
    server.answers.set('GET /sessions/s1/export', () => ({ name: 's1.relavium.yaml', content: 'name: S', warnings: ['Look.'] }));
  });

  test('is shown for review, and nothing is written or kept before a person wants it', async () => {
    const open = await opened({ session: 's1' });
    await pass(1_000);
    expect(open.value).toMatchObject({ load: 'ready', path: 's1.relavium.yaml', version: '', warnings: ['Look.'], session: 's1', isChanged: false });
    expect(files.size + drafts.size).toBe(1);
  });

  test('becomes a file that it knows', async () => {
    let change: unknown;
    server.answers.set('PATCH /sessions/s1', (_, body) => (change = body));
    const open = await opened({ session: 's1' });
    await open.save();
    expect(files.get('s1.relavium.yaml')).toBe('name: S');
    expect(change).toEqual({ exportedPath: '/project/s1.relavium.yaml' });
    expect(open.value).toMatchObject({ place: { file: 's1.relavium.yaml' }, session: undefined, warnings: [] });
    expect(workflows.get({ file: 's1.relavium.yaml' })).toBe(open);
  });

  test('that has a file already becomes another', async () => {
    files.set('s1.relavium.yaml', 'name: Old');
    const open = await opened({ session: 's1' });
    expect(open.value.path).toBe('s1-2.relavium.yaml');
  });

  test('whose name unsaved work has becomes another', async () => {
    drafts.set('s1.relavium.yaml', { source: 'name: Old', replaces: 'a file that is gone' });
    const open = await opened({ session: 's1' });
    expect(open.value.path).toBe('s1-2.relavium.yaml');
  });

  test('goes on with its unsaved work, and begins anew without it', async () => {
    drafts.set('s1.relavium.yaml', { source: 'name: Mine', replaces: '', session: 's1' });
    const open = await opened({ session: 's1' });
    expect(open.value).toMatchObject({ isRestored: true, session: 's1' });
    expect(nameOf(open)).toBe('Mine');
    await open.discard();
    expect(nameOf(open)).toBe('S');
    await pass(500);
    expect(drafts.size).toBe(0);
    open.value.editor!.undo();
    expect(nameOf(open)).toBe('Mine');
  });

  test('that cannot be exported says why', async () => {
    server.answers.set('GET /sessions/s1/export', () => refusal(503, 'unavailable', 'Not now.'));
    const open = await opened({ session: 's1' });
    expect(open.value).toMatchObject({ load: 'failed', why: 'Not now.' });
  });
});

test('the list knows of work that was unsaved a moment ago', async () => {
  const open = await opened({ session: 's1' });
  expect(open.value.load).toBe('failed');
  server.answers.set('GET /sessions/s1/export', () => ({ name: 's1.relavium.yaml', content: 'name: S', warnings: [] }));
  await open.load();
  name(open, 'B');
  await workflows.refresh();
  expect(workflows.value.drafts).toMatchObject([{ path: 's1.relavium.yaml', session: 's1' }]);
});

test('those that are open are kept when they are left, up to a bound, and what is unsaved of the others, too', async () => {
  const open = await opened();
  name(open, 'B');
  expect(workflows.get({ file: path })).toBe(open);
  for (let n = 0; n < 7; n++) workflows.get({ file: `other-${n}` });
  await pass();
  expect(workflows.get({ file: path })).not.toBe(open);
  expect(drafts.size).toBe(1);
});
