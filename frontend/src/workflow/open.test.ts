import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass } from '../api/scripted.ts';
import { name, nameOf, path, ScriptedProject, versionOf } from './scripted.ts';
import { workflowText as text } from './text.ts';

let server: ScriptedProject;

beforeEach(async () => {
  vi.useFakeTimers();
  server = new ScriptedProject();
  await server.start();
  server.asked.length = 0;
});

afterEach(async () => {
  await pass(1_000);
  server.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const requests = (request: string) => server.asked.filter(each => each === request).length;

function gone(): never {
  throw new Error('gone');
}

describe('what is edited', () => {
  test('is checked a moment later: one request at a time, about what is there by then', async () => {
    const open = await server.open();
    const { editor } = open.value;
    const check = server.answers.get('POST /workflows/check')!;
    const waiting: (() => void)[] = [];
    server.answers.set('POST /workflows/check', (query, asked) => new Promise(resolve => waiting.push(() => resolve(check(query, asked)))));
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
    const open = await server.open();
    expect(open.value.isChanged).toBe(false);
    name(open, 'B');
    expect(open.value.isChanged).toBe(true);
    await pass(500);
    expect(server.drafts.get(path)).toMatchObject({ source: 'name: B', replaces: versionOf('name: A') });
    name(open, 'A');
    await pass(1_000);
    expect(open.value.isChanged).toBe(false);
    expect(server.drafts.size).toBe(0);
  });

  test('is kept also while somebody types and types', async () => {
    const open = await server.open();
    for (const to of ['B', 'Be', 'Bee']) {
      name(open, to);
      await pass(200);
    }
    expect(server.drafts.size).toBe(1);
  });

  test('is kept at once when the page goes', async () => {
    const open = await server.open();
    name(open, 'B');
    void server.workflows.flush();
    await pass();
    expect(server.drafts.size).toBe(1);
  });

  test('stays when the door is gone, which is said, and is kept when it is back', async () => {
    const open = await server.open();
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
    expect(server.drafts.size).toBe(1);
    expect(open.value).toMatchObject({ unkept: undefined, unchecked: undefined, isChanged: true });
    expect(nameOf(open)).toBe('B');
  });
});

describe('unsaved work', () => {
  test('is taken up, which is said, and can be discarded', async () => {
    server.drafts.set(path, { source: 'name: B # mine', replaces: versionOf('name: A') });
    const open = await server.open();
    expect(open.value).toMatchObject({ isRestored: true, isChanged: true, theirs: undefined });
    expect(nameOf(open)).toBe('B');
    await open.discard();
    await pass(500);
    expect(open.value).toMatchObject({ isRestored: false, isChanged: false });
    expect(nameOf(open)).toBe('A');
    expect(server.drafts.size).toBe(0);
  });

  test('that the page kept in a form of its own is written by the door', async () => {
    const before = await server.open();
    name(before, 'B');
    await server.workflows.flush();
    expect(server.drafts.get(path)).toMatchObject({ source: expect.stringContaining('"name":"B"') as string });
    server.reload();
    const open = await server.open();
    expect(open.value.editor!.value).toMatchObject({ source: 'name: B', graph: { name: 'B' } });
  });

  test('that could not be read is in the YAML tab as it was typed', async () => {
    server.drafts.set(path, { source: ': no', replaces: versionOf('name: A') });
    const open = await server.open();
    expect(open.value.editor!.value).toMatchObject({ typed: ': no', graph: { name: 'A' } });
  });

  test('on a file that was changed since then asks which of both it shall be', async () => {
    server.drafts.set(path, { source: 'name: B', replaces: 'an older version' });
    const open = await server.open();
    expect(open.value).toMatchObject({ theirs: { version: versionOf('name: A') } });
    await expect(open.save()).rejects.toThrow('another one');
    open.takeTheirs();
    expect(nameOf(open)).toBe('A');
    expect(open.value).toMatchObject({ theirs: undefined, isChanged: false });
    open.value.editor!.undo();
    expect(nameOf(open)).toBe('B');
  });

  test('that is what the file says already is none', async () => {
    server.files.set(path, 'name: B');
    server.drafts.set(path, { source: 'name: B', replaces: versionOf('name: A') }); // it was saved, and the page was gone at once
    const open = await server.open();
    await pass(500);
    expect(open.value).toMatchObject({ isRestored: false, isChanged: false, theirs: undefined, version: versionOf('name: B') });
    expect(server.drafts.size).toBe(0);
  });

  test('of another window is not begun anew', async () => {
    server.drafts.set('workflow.relavium.yaml', { source: 'name: Other', replaces: '' });
    expect(await server.workflows.begin()).toBe('workflow-2.relavium.yaml');
    expect(server.drafts.get('workflow.relavium.yaml')).toMatchObject({ source: 'name: Other' });
  });

  test('without a file is begun, listed, opened again, and given up', async () => {
    server.files.set('workflow.relavium.yaml', 'name: W');
    const begun = await server.workflows.begin();
    expect(begun).toBe('workflow-2.relavium.yaml');
    await server.workflows.refresh();
    expect(server.workflows.value.drafts).toMatchObject([{ path: begun }]);
    const open = await server.open({ file: begun });
    expect(open.value).toMatchObject({ load: 'ready', version: '', isChanged: true, isRestored: false });
    const undo = await server.workflows.discard(begun);
    expect(server.workflows.value.drafts).toEqual([]);
    await undo();
    expect(server.workflows.value.drafts).toMatchObject([{ path: begun }]);
  });
});

describe('saving', () => {
  test('replaces the version that was read, and leaves nothing unsaved', async () => {
    const open = await server.open();
    name(open, 'B');
    await pass(500);
    expect(await open.doubts()).toEqual([]);
    await open.save();
    expect(server.files.get(path)).toBe('name: B');
    expect(open.value).toMatchObject({ version: versionOf('name: B'), isChanged: false, isSaving: false });
    expect(server.drafts.size).toBe(0);
    name(open, 'C');
    await open.save();
    expect(server.files.get(path)).toBe('name: C');
  });

  test('says before that comments are lost, and that problems are left', async () => {
    server.files.set(path, 'name: A # dear');
    const open = await server.open();
    expect(await open.doubts()).toEqual([]);
    name(open, 'bad');
    expect(await open.doubts()).toEqual([text.save.comments, text.save.problems(1)]);
  });

  test('keeps what was typed as it was typed', async () => {
    const open = await server.open();
    open.value.editor!.type('name: B # new');
    expect(await open.doubts()).toEqual([]);
    await open.save();
    expect(server.files.get(path)).toBe('name: B # new');
  });

  test('writes what cannot be read only as what was typed, and says so before', async () => {
    const open = await server.open();
    open.value.editor!.type(': no');
    expect(await open.doubts()).toEqual([text.save.unreadable, text.save.problems(1)]);
    await open.save();
    expect(server.files.get(path)).toBe(': no');
    name(open, 'B');
    await open.discard();
    expect(open.value.editor!.value).toMatchObject({ typed: ': no', graph: { name: 'B' } });
    expect(open.value.isChanged).toBe(false);
  });

  test('does not wait for what is edited meanwhile, which stays unsaved', async () => {
    const open = await server.open();
    name(open, 'B');
    const saved = open.save();
    const put = server.answers.get('PUT /workflows/file')!;
    server.answers.set('PUT /workflows/file', (query, body) => (name(open, 'C'), put(query, body)));
    await saved;
    expect(server.files.get(path)).toBe('name: B');
    expect(open.value.isChanged).toBe(true);
    await pass(500);
    expect(server.drafts.get(path)).toMatchObject({ replaces: versionOf('name: B') });
  });

  test('under another name leaves the first file alone, and its unsaved work nowhere', async () => {
    const open = await server.open();
    name(open, 'B');
    await pass(500);
    await open.save('copy.relavium.yaml');
    expect([...server.files]).toEqual([[path, 'name: A'], ['copy.relavium.yaml', 'name: B']]);
    expect(open.value).toMatchObject({ path: 'copy.relavium.yaml', place: { file: 'copy.relavium.yaml' }, isChanged: false });
    expect(server.drafts.size).toBe(0);
    name(open, 'C');
    await pass(500);
    expect([...server.drafts.keys()]).toEqual(['copy.relavium.yaml']);
  });

  test('under another name keeps what is edited meanwhile with that', async () => {
    const open = await server.open();
    name(open, 'B');
    await pass(500);
    const drop = server.answers.get('DELETE /workflows/draft')!;
    server.answers.set('DELETE /workflows/draft', (query, body) => (name(open, 'C'), drop(query, body)));
    await open.save('copy.relavium.yaml');
    await pass(1_000);
    expect([...server.drafts]).toMatchObject([['copy.relavium.yaml', { replaces: versionOf('name: B') }]]);
  });

  test('under another name leaves nothing at the first, whenever it was kept', async () => {
    const open = await server.open();
    name(open, 'B');
    const keep = server.answers.get('PUT /workflows/draft')!;
    let arrive: (() => void) | undefined;
    server.answers.set('PUT /workflows/draft', (query, body) => new Promise(resolve => (arrive = () => resolve(keep(query, body)))));
    await pass(500);
    const saved = open.save('copy.relavium.yaml');
    await pass();
    arrive!();
    await saved;
    expect([...server.drafts.keys()]).toEqual([]);
  });

  test('under the name of other unsaved work is refused: that would be written over', async () => {
    server.drafts.set('other.relavium.yaml', { source: 'name: Other', replaces: '' });
    const open = await server.open();
    name(open, 'B');
    await expect(open.save('other.relavium.yaml')).rejects.toThrow(text.save.unsaved);
    expect(server.files.size).toBe(1);
    expect(open.value).toMatchObject({ path, isChanged: true });
  });

  test('under a name that is taken is refused', async () => {
    server.files.set('taken.relavium.yaml', 'name: T');
    const open = await server.open();
    name(open, 'B');
    await expect(open.save('taken.relavium.yaml')).rejects.toThrow('another one');
    expect(server.files.get('taken.relavium.yaml')).toBe('name: T');
    expect(open.value).toMatchObject({ path, theirs: undefined, isChanged: true });
  });
});
