import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass, refusal } from '../api/scripted.ts';
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

describe('a file that somebody else changes', () => {
  test('is loaded again if nothing was edited', async () => {
    const open = await server.open();
    await server.write('name: T');
    expect(nameOf(open)).toBe('T');
    expect(open.value).toMatchObject({ isChanged: false, version: versionOf('name: T'), theirs: undefined });
    expect(server.said).toEqual([text.reloaded(path)]);
  });

  test('is offered if something was, and mine replaces it if I say so', async () => {
    const open = await server.open();
    name(open, 'B');
    await server.write('name: T');
    expect(nameOf(open)).toBe('B');
    expect(open.value.theirs).toMatchObject({ version: versionOf('name: T') });
    await expect(open.save()).rejects.toThrow('another one');
    expect(server.files.get(path)).toBe('name: T');
    open.keepMine();
    await open.save();
    expect(server.files.get(path)).toBe('name: B');
  });

  test('takes no place of what is edited while it is read', async () => {
    const open = await server.open();
    const get = server.answers.get('GET /workflows/file')!;
    server.answers.set('GET /workflows/file', query => (name(open, 'B'), get(query, undefined)));
    await server.write('name: T');
    expect(nameOf(open)).toBe('B');
    expect(open.value.theirs).toMatchObject({ version: versionOf('name: T') });
  });

  test('and is overruled stays so when the page is opened again', async () => {
    const open = await server.open();
    name(open, 'B');
    await pass(500);
    await server.write('name: T');
    open.keepMine();
    await pass(500);
    expect(server.drafts.get(path)).toMatchObject({ source: 'name: B', replaces: versionOf('name: T') });
  });

  test('in another window, which had nothing unsaved then, finds the unsaved work of this one kept again', async () => {
    const open = await server.open();
    name(open, 'B');
    await pass(500);
    server.drafts.clear();
    await server.write('name: T');
    await pass(500);
    expect(server.drafts.get(path)).toMatchObject({ source: 'name: B' });
  });

  test('and is taken over leaves nothing that could not be checked', async () => {
    const open = await server.open();
    const check = server.answers.get('POST /workflows/check')!;
    server.answers.set('POST /workflows/check', () => refusal(413, 'too_large', 'Too large.'));
    name(open, 'B');
    await pass(500);
    expect(open.value.unchecked).toBe('Too large.');
    await server.write('name: T');
    open.takeTheirs();
    server.answers.set('POST /workflows/check', check);
    expect(open.value.unchecked).toBeUndefined();
  });

  test('is found by saving, if nobody told', async () => {
    const open = await server.open();
    name(open, 'B');
    server.files.set(path, 'name: T');
    await expect(open.save()).rejects.toThrow('another one');
    expect(open.value.theirs).toMatchObject({ version: versionOf('name: T') });
  });

  test('and back again is no news', async () => {
    const open = await server.open();
    name(open, 'B');
    await server.write('name: T');
    await server.write('name: A');
    expect(open.value.theirs).toBeUndefined();
  });

  test('is not this page that saves', async () => {
    const open = await server.open();
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
    expect(server.said).toEqual([]);
  });

  test('may be gone, and is written again if it is saved', async () => {
    const open = await server.open();
    await server.write(undefined);
    expect(open.value.theirs).toBe('gone');
    open.keepMine();
    expect(open.value).toMatchObject({ version: '', isChanged: true });
    await open.save();
    expect(server.files.get(path)).toBe('name: A');
  });

  test('may come when there was none', async () => {
    const open = await server.open({ file: 'late.relavium.yaml' });
    expect(open.value.load).toBe('missing');
    await server.write('name: L', 'late.relavium.yaml');
    expect(open.value.load).toBe('ready');
  });
});

describe('a session', () => {
  beforeEach(() => {
    server.answers.set('GET /sessions/s1/export', () => ({ name: 's1.relavium.yaml', content: 'name: S', warnings: ['Look.'] }));
  });

  test('is shown for review, and nothing is written or kept before a person wants it', async () => {
    const open = await server.open({ session: 's1' });
    await pass(1_000);
    expect(open.value).toMatchObject({ load: 'ready', path: 's1.relavium.yaml', version: '', warnings: ['Look.'], session: 's1', isChanged: false });
    expect(server.files.size + server.drafts.size).toBe(1);
  });

  test('becomes a file that it knows', async () => {
    let change: unknown;
    server.answers.set('PATCH /sessions/s1', (_, body) => (change = body));
    const open = await server.open({ session: 's1' });
    await open.save();
    expect(server.files.get('s1.relavium.yaml')).toBe('name: S');
    expect(change).toEqual({ exportedPath: '/project/s1.relavium.yaml' });
    expect(open.value).toMatchObject({ place: { file: 's1.relavium.yaml' }, session: undefined, warnings: [] });
    expect(server.workflows.get({ file: 's1.relavium.yaml' })).toBe(open);
  });

  test('that has a file already becomes another', async () => {
    server.files.set('s1.relavium.yaml', 'name: Old');
    const open = await server.open({ session: 's1' });
    expect(open.value.path).toBe('s1-2.relavium.yaml');
  });

  test('whose name unsaved work has becomes another', async () => {
    server.drafts.set('s1.relavium.yaml', { source: 'name: Old', replaces: 'a file that is gone' });
    const open = await server.open({ session: 's1' });
    expect(open.value.path).toBe('s1-2.relavium.yaml');
  });

  test('goes on with its unsaved work, and begins anew without it', async () => {
    server.drafts.set('s1.relavium.yaml', { source: 'name: Mine', replaces: '', session: 's1' });
    const open = await server.open({ session: 's1' });
    expect(open.value).toMatchObject({ isRestored: true, session: 's1' });
    expect(nameOf(open)).toBe('Mine');
    await open.discard();
    expect(nameOf(open)).toBe('S');
    await pass(500);
    expect(server.drafts.size).toBe(0);
    open.value.editor!.undo();
    expect(nameOf(open)).toBe('Mine');
  });

  test('that cannot be exported says why', async () => {
    server.answers.set('GET /sessions/s1/export', () => refusal(503, 'unavailable', 'Not now.'));
    const open = await server.open({ session: 's1' });
    expect(open.value).toMatchObject({ load: 'failed', why: 'Not now.' });
  });
});

test('the list knows of work that was unsaved a moment ago', async () => {
  const open = await server.open({ session: 's1' });
  expect(open.value.load).toBe('failed');
  server.answers.set('GET /sessions/s1/export', () => ({ name: 's1.relavium.yaml', content: 'name: S', warnings: [] }));
  await open.load();
  name(open, 'B');
  await server.workflows.refresh();
  expect(server.workflows.value.drafts).toMatchObject([{ path: 's1.relavium.yaml', session: 's1' }]);
});

test('those that are open are kept when they are left, up to a bound, and what is unsaved of the others, too', async () => {
  const open = await server.open();
  name(open, 'B');
  expect(server.workflows.get({ file: path })).toBe(open);
  for (let n = 0; n < 7; n++) server.workflows.get({ file: `other-${n}` });
  await pass();
  expect(server.workflows.get({ file: path })).not.toBe(open);
  expect(server.drafts.size).toBe(1);
});

test('one that could not be kept is not left', async () => {
  const open = await server.open();
  server.answers.set('PUT /workflows/draft', () => refusal(503, 'unavailable', 'Not now.'));
  name(open, 'B');
  for (let n = 0; n < 7; n++) server.workflows.get({ file: `other-${n}` });
  await pass();
  expect(server.workflows.get({ file: path })).toBe(open);
  expect(nameOf(open)).toBe('B');
});
