import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Exported } from '../../src/api/types.gen.ts';
import { text } from '../../src/ui/text.ts';
import { boardText } from '../../src/workflow/board/text.ts';
import { originText } from '../../src/workflow/origin/text.ts';
import { panelText } from '../../src/workflow/panel/text.ts';
import { sourceText } from '../../src/workflow/source/text.ts';
import { workflowText } from '../../src/workflow/text.ts';
import { program, type Served } from '../program.ts';
import { saidAndDone, test as base, turns, violations } from './browser.ts';

const { workspace, save, notice } = workflowText;

const run = promisify(execFile);

/** Parley in a project that has a folder. */
const test = base
  .extend('project', async ({ home }) => {
    const project = join(home.path, 'project');
    await mkdir(project);
    return project;
  })
  .extend('parley', ({ serve, project }) => serve(undefined, '--project', project));

const card = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
const assist = (page: Page, name: string) => page.getByRole('toolbar', { name: boardText.assist.title }).getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('tab', { name });
const file = (page: Page) => page.getByRole('textbox', { name: sourceText.label });
const line = (page: Page, words: string) => file(page).locator('.cm-line').filter({ hasText: words });
/** The caret goes to a line, also if the file is scrolled meanwhile. */
async function goTo(page: Page, words: string): Promise<void> {
  const active = async () => {
    await line(page, words).click();
    return file(page).locator('.cm-activeLine').textContent();
  };
  await expect.poll(active).toContain(words);
}

/** The caret goes to the end of its line, also of one that is wrapped once. */
async function atEnd(page: Page): Promise<void> {
  await page.keyboard.press('End');
  await page.keyboard.press('End');
}

const problems = (page: Page, n: number) => page.getByRole('button', { name: workspace.problems(n), exact: true });
const undo = (page: Page) => page.getByRole('button', { name: /^Undo/ });

async function ask<T>({ door }: Served, path: string): Promise<T> {
  const answer = await fetch(door.url + path, { headers: { authorization: `Bearer ${door.token}` } });
  return (await answer.json()) as T;
}

/** What a file keeps of the session that it was. */
function kept(source: string): string {
  const found = /^ {4}relaviumExport:\n(?: {6}.*\n|\n)+/m.exec(source)?.[0];
  expect(found).toContain('sequenceNumber');
  return found!;
}

test('A session becomes a workflow: rearranged, edited as a file, broken, taken back, and saved', async ({ page, parley, home, project }) => {
  for (const words of ['One', 'Two', 'Three']) await saidAndDone(page, `${words} [[say:${words}!]]`);
  const session = new URL(page.url()).hash.slice('#/'.length);
  const exported = await ask<Exported>(parley, `/sessions/${session}/export?format=canvas`);

  await page.getByRole('link', { name: text.sessions.toCanvas }).click();
  await page.getByText(notice.scaffold).waitFor();
  await card(page, 'turn-1').click();
  await card(page, 'turn-2').click({ modifiers: ['Shift'] });
  await assist(page, boardText.assist.parallel).click();
  await card(page, 'merge').click();
  await assist(page, boardText.assist.condition).click();
  await card(page, 'turn-3').click();
  await assist(page, boardText.assist.gate).click();
  await card(page, 'gate').waitFor();
  await tab(page, panelText.tabs.yaml).click();
  await goTo(page, 'prompt_template: "Three');
  await atEnd(page);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(' Briefly.');
  await card(page, 'turn-3').getByText('Briefly.').waitFor();
  await problems(page, 0).waitFor();

  for (const type of ['merge', 'human_gate', 'output', 'merge', 'parallel', 'human_gate', 'output', 'merge'] as const) {
    await page.getByRole('button', { name: boardText.palette.add(type), exact: true }).click();
  }
  await page.keyboard.press('Delete');
  await page.locator('.cm-content:not([aria-readonly])').waitFor(); // what was done on the canvas is in the file
  await line(page, 'type: human_gate').first().click();
  await atEnd(page);
  await page.keyboard.type('s');
  await problems(page, 1).waitFor();
  await expect(file(page).locator('.cm-lintRange-error').innerText()).resolves.toBe('human_gates');
  const number = await page.locator('.cm-lineNumbers .cm-activeLineGutter').innerText();
  await tab(page, panelText.tabs.problems).click();
  await page.getByText(new RegExp(`${panelText.problems.place(Number(number), 13)}$`)).waitFor();

  for (let step = 0; step < 10; step++) await undo(page).click();
  await problems(page, 0).waitFor();
  await page.getByRole('button', { name: save.save, exact: true }).click();
  await page.getByRole('form', { name: save.title }).getByRole('button', { name: save.save }).click();
  const name = `${session}.relavium.yaml`;
  await page.getByText(save.done(name)).waitFor();

  const saved = join(project, name);
  const source = await readFile(saved, 'utf8');
  expect([...source.slice(source.indexOf('\n  nodes:')).matchAll(/^ {4}(?:- |  )id: (.*)/gm)].map(([, id]) => id)).toEqual(['input', 'parallel', 'turn-1', 'turn-2', 'merge', 'condition', 'turn-3', 'gate', 'output']);
  expect(source).toContain('prompt_template: "Three [[say:Three!]] Briefly."');
  expect(kept(source)).toBe(kept(exported.content));
  expect(await run(program, ['workflow', 'check', saved], { env: home.env() })).toEqual({ stdout: '', stderr: '' });
});

test('A node leads to the turn that it was, and the turn to its node', async ({ page }) => {
  for (const words of ['One', 'Two', 'Three']) await saidAndDone(page, `${words} [[say:${words}!]]`);
  await page.getByRole('link', { name: text.sessions.toCanvas }).click();
  await card(page, 'turn-2').click();
  await page.getByRole('button', { name: originText.show }).click();
  await page.getByRole('link', { name: text.toCanvas }).click();
  await card(page, 'turn-2').and(page.locator('.selected')).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => violations(page)).toEqual([]);
  }

  await page.keyboard.press('Control+s');
  await page.getByRole('textbox', { name: save.path }).press('Enter');
  await page.getByText(save.done('')).waitFor();
  await page.getByRole('link', { name: 'One' }).click();
  await turns(page).nth(1).getByRole('button', { name: originText.back }).click();
  await card(page, 'turn-2').and(page.locator('.selected')).waitFor();
});
