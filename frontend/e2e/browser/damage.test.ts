import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import type { Home } from '../program.ts';
import { answer, gone, readable, saidAndDone, say, violations } from './browser.ts';
import { button, fileOf, onDisk, open, test as base, title } from './vault.ts';

/** Nobody is asked for anything: what is wrong is the file. */
const test = base.extend('machine', () => ({}));

/** Places in history.db, as its format names them. */
const format = 19; // the last byte of the number
const keyCheck = 70;
const firstPage = 12_288;

async function flip(home: Home, at: number): Promise<void> {
  const bytes = await readFile(fileOf(home, 'history.db'));
  bytes[at]! ^= 2;
  await writeFile(fileOf(home, 'history.db'), bytes);
}

const halve = async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2));

describe.each<{ harm: string; to: (home: Home) => Promise<void>; leads: 'damaged' | 'newer_format' }>([
  { harm: 'whose first page is not as it was written', to: home => flip(home, firstPage + 100), leads: 'damaged' },
  { harm: 'whose header does not fit its key', to: home => flip(home, keyCheck), leads: 'damaged' },
  { harm: 'that is gone', to: home => rm(fileOf(home, 'history.db')), leads: 'damaged' },
  { harm: 'with half a key file', to: home => halve(fileOf(home, 'history.keys')), leads: 'damaged' },
  { harm: 'that a newer Parley wrote', to: home => flip(home, format), leads: 'newer_format' },
])('a history $harm', ({ to, leads }) => {
  test('is not touched; the page says what is wrong and what to do', async ({ context, parley, home, disk, startAgain }) => {
    const page = await open(context, parley);
    await saidAndDone(page, 'Hello [[say:Hi.]]');
    const next = await startAgain(() => to(home));
    await title(next, text.vault.title[leads]).waitFor();
    expect(await violations(next)).toEqual([]);
    expect((await next.getByRole('main').getByRole('paragraph').allInnerTexts()).length, 'what is wrong, and what to do').toBeGreaterThan(1);
    expect(await button(next, text.vault.startNew.offer).count()).toBe(leads === 'damaged' ? 1 : 0);
    expect(await onDisk(home)).toEqual(disk.left);
  });
});

test('what a power cut took is counted, and the rest is there', async ({ context, parley, home, startAgain, faults }) => {
  const page = await open(context, parley);
  await saidAndDone(page, 'Before [[say:It is kept.]]');
  await say(page, 'Cut short [[deltas:40]] [[gap:5ms]] [[hang]]');
  await readable(answer(page)).toContain('w0000039');
  faults.provoke(gone);
  await parley.stop('SIGKILL');
  const next = await startAgain(async () => truncate(fileOf(home, 'history.db-wal'), (await stat(fileOf(home, 'history.db-wal'))).size - 1));
  await next.getByText(text.vault.notice.lost(1)).waitFor();
  await next.getByRole('navigation').getByRole('link', { name: /Before/ }).click();
  await next.getByText('It is kept.', { exact: true }).waitFor();
  await readable(answer(next)).toContain('w0000000');
  expect(await answer(next).innerText()).not.toContain('w0000039');
  await button(next, text.close).click();
  await next.getByText(text.vault.notice.lost(1)).waitFor({ state: 'detached' });
});

test('what is left of a damaged history is salvaged, and the damaged one is kept', async ({ context, parley, home, disk, startAgain }) => {
  const page = await open(context, parley);
  await saidAndDone(page, 'Hello [[say:Hi.]]');
  const next = await startAgain(() => flip(home, keyCheck));
  await button(next, text.vault.salvage.offer).click();
  expect(await violations(next)).toEqual([]);
  await button(next, text.vault.salvage.do).click();
  await next.getByText(text.vault.notice.salvaged(1, 2)).waitFor();
  await next.getByRole('navigation').getByRole('link', { name: /Hello/ }).click();
  await readable(answer(next)).toContain('Hi.');
  const aside = join(home.path, 'parley', 'set-aside');
  const [kept] = (await readdir(aside, { recursive: true })).filter(name => name.endsWith('history.db'));
  expect(await readFile(join(aside, kept!), 'base64')).toBe(disk.left[0]);
});
