import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { changesText, filesText } from '../../src/files/text.ts';
import { text } from '../../src/ui/text.ts';
import { files, saidAndDone, test as base, turns, violations } from './browser.ts';

// oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
const test = base.extend('folder', async ({}, { onCleanup }) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'garden-')));
  onCleanup(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'notes.txt'), 'pears\n');
  return folder;
});

const badge = (page: Page) => page.getByRole('button', { name: /^Files:/ });
const dialog = (page: Page) => page.getByRole('dialog', { name: filesText.title });
const option = (page: Page, scope: keyof typeof filesText.scope) => dialog(page).getByRole('radio', { name: filesText.scope[scope].name });
const write = '[[tool:write_file {"path":"notes.txt","content":"apples\\n"}]] [[say:Done.]]';

describe('§2 The files that an agent reaches', () => {
  test('are chosen by keys alone, before the first message or later, and hold from the next one on', async ({ page, folder }) => {
    const chosen = (label: string) => page.getByRole('button', { name: filesText.change(label), exact: true }).waitFor();
    const name = folder.split('/').at(-1)!;
    await chosen(filesText.short.sandboxed(''));
    await badge(page).focus();
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type(folder);
    await page.keyboard.press('Enter');
    await chosen(filesText.short.sandboxed(name));
    await saidAndDone(page, write);
    expect(await readFile(join(folder, 'notes.txt'), 'utf8'), 'sandboxed').toBe('pears\n');
    expect(await files(page)).toEqual({ 'notes.txt': 'apples\n' });

    await badge(page).press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await chosen(filesText.short.project(name));
    await saidAndDone(page, `Again ${write}`);
    expect(await readFile(join(folder, 'notes.txt'), 'utf8'), 'in the folder').toBe('apples\n');
  });

  test('are all of them only where the person says so, in as many words', async ({ page, folder }) => {
    await badge(page).click();
    await option(page, 'full').check();
    await dialog(page).getByText(filesText.scope.full.says).waitFor();
    await page.keyboard.press('Escape');
    await saidAndDone(page, `[[tool:read_file ${JSON.stringify({ path: join(folder, 'notes.txt') })}]] [[say:No.]]`);
    await turns(page).getByRole('button', { name: text.tool.read.failed }).waitFor();
    await badge(page).click();
    await option(page, 'full').check();
    await dialog(page).getByRole('button', { name: filesText.confirm }).click();
    await page.getByRole('button', { name: filesText.change(filesText.short.full()) }).waitFor();
    await saidAndDone(page, `[[tool:read_file ${JSON.stringify({ path: join(folder, 'notes.txt') })}]] [[say:Yes.]]`);
    await turns(page).last().getByRole('button', { name: text.tool.read.done }).waitFor();
  });

  test('that cannot be had are refused with the reason, and nothing else changes', async ({ page, faults }) => {
    faults.provoke(/status of 400/);
    await badge(page).click();
    await option(page, 'project').check();
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').filter({ hasText: filesText.noFolder }).waitFor();
    await dialog(page).getByRole('textbox').fill('/no/such/folder');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').filter({ hasText: 'there is none at this path' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => violations(page)).toEqual([]); // colours pass into each other
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: filesText.change(filesText.short.sandboxed('')) }).waitFor();
  });
});

describe('What a run wrote', () => {
  test('is taken back after a preview, over what the person changed since, and given back', async ({ page, folder }) => {
    const notes = join(folder, 'notes.txt');
    await writeFile(notes, 'pears\nplums\nquinces\nmedlars\n');
    await badge(page).click();
    await option(page, 'project').check();
    await dialog(page).getByRole('textbox').fill(folder);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    await saidAndDone(page, '[[tool:write_file {"path":"notes.txt","content":"PEARS\\nplums\\nquinces\\nmedlars\\n"}]] [[tool:write_file {"path":"new.txt","content":"new\\n"}]] [[say:Done.]]');
    await writeFile(notes, 'PEARS\nplums\nquinces\nmy medlars\n');

    await page.getByRole('button', { name: changesText.title(2) }).click();
    await page.getByRole('button', { name: changesText.revertAll }).click();
    const preview = page.getByRole('region', { name: changesText.preview.revert, exact: true });
    await preview.getByText('pears', { exact: true }).waitFor();
    expect(await readFile(notes, 'utf8'), 'a preview changes nothing').toBe('PEARS\nplums\nquinces\nmy medlars\n');
    expect(await violations(page)).toEqual([]);
    await preview.getByRole('button', { name: changesText.revert, exact: true }).click();
    await preview.waitFor({ state: 'detached' });
    expect(await readFile(notes, 'utf8')).toBe('pears\nplums\nquinces\nmy medlars\n');
    await expect(readFile(join(folder, 'new.txt'))).rejects.toThrow('ENOENT');

    await page.reload();
    await page.getByRole('button', { name: changesText.title(2) }).click();
    await page.getByRole('button', { name: changesText.undoFile(notes) }).click();
    await page.getByRole('region', { name: changesText.preview.undo, exact: true }).getByRole('button', { name: changesText.undo, exact: true }).click();
    await page.getByRole('button', { name: changesText.revertFile(notes) }).waitFor();
    expect(await readFile(notes, 'utf8')).toBe('PEARS\nplums\nquinces\nmy medlars\n');
  });
});
