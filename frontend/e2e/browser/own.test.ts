import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { agentsText as said } from '../../src/agents/text.ts';
import { text } from '../../src/ui/text.ts';
import { composer, readable, saidAndDone, test, violations } from './browser.ts';

const picker = (page: Page) => page.getByRole('combobox', { name: text.agent.choose });
const dialog = (page: Page) => page.getByRole('dialog');
const helper = text.agent.name('Code helper', true);
const button = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });

test('an agent is made with the keyboard, talked to, changed, and saved as a file', async ({ page, home, faults }) => {
  faults.provoke(/status of 400/);
  await picker(page).waitFor();
  await page.keyboard.press('Alt+y');
  await button(page, said.make).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Code helper');
  expect(await dialog(page).getByLabel(said.editor.id, { exact: true }).inputValue()).toBe('code-helper');
  await dialog(page).getByLabel(said.editor.harness).selectOption('scripted');
  await dialog(page).getByLabel(said.editor.provider).selectOption('openai');
  await dialog(page).getByLabel(said.editor.prompt).fill('Help with code.');
  await dialog(page).getByLabel('write_file').check();
  await dialog(page).getByLabel(said.editor.mode, { exact: true }).selectOption('plan');
  await page.keyboard.press('Escape');
  await button(page, said.editor.save).click();
  await readable(dialog(page).getByRole('alert')).toContain('model: ');
  expect(await violations(page)).toEqual([]);
  await dialog(page).getByLabel(said.editor.model, { exact: true }).fill('any');
  await button(page, said.editor.save).click();
  await button(page, said.one(said.edit, helper)).click();
  expect(await dialog(page).getByLabel('write_file').isChecked()).toBe(true);
  expect(await dialog(page).getByLabel(said.editor.mode, { exact: true }).inputValue()).toBe('plan');
  await button(page, text.cancel).click();
  await button(page, said.one(said.save.own, helper)).click();
  await button(page, said.one(said.edit, helper)).waitFor({ state: 'detached' });
  expect(await readFile(join(home.path, '.config/parley/agents/code-helper.agent.yaml'), 'utf8')).toContain('- write_file');
  await page.keyboard.press('Escape');
  await picker(page).selectOption('code-helper');
  await saidAndDone(page, '[[say:Hi.]]');
  await expect.poll(() => composer(page).isVisible()).toBe(true);
});

describe('a file of an agent', () => {
  test('is picked up while the page is open, and what is wrong with it is shown', async ({ page, home }) => {
    const folder = join(home.path, '.config/parley/agents');
    const write = (words: string) => writeFile(join(folder, 'mine.agent.yaml'), `id: mine\n${words}provider: openai\nmodel: m\nsystem_prompt: p\n`);
    await mkdir(folder, { recursive: true });
    await write('name: First\n');
    await expect.poll(() => picker(page).getByRole('option', { name: 'First' }).count()).toBe(1);
    await write('nmae: Second\n');
    await picker(page).selectOption({ label: text.agent.manage });
    await readable(dialog(page)).toContain('Line 2, column 1 nmae');
    await readable(dialog(page)).toContain(said.broken.still('mine'));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await write('name: Third\n');
    await dialog(page).getByText('Third').waitFor();
  });
});
