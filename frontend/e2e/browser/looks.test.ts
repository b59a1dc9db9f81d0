import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { beCareful, composer, isOver, questions, saidAndDone, say, test, turns, violations } from './browser.ts';

describe.each(['light', 'dark'] as const)('in %s, everybody can use', colorScheme => {
  test.beforeEach(({ page }) => page.emulateMedia({ colorScheme }));

  test('the page that is empty', async ({ page }) => {
    await page.getByRole('heading', { name: text.welcome.title }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a session with tools, opened', async ({ page }) => {
    await saidAndDone(page, '[[think:3]] [[tool:write_file {"path":"a.txt","content":"one\\n"}]] [[tool:list_directory {"path":"."}]] [[say:Done.]]');
    const folded = turns(page).getByRole('button', { expanded: false });
    while ((await folded.count()) > 0) await folded.first().click();
    await turns(page).getByRole('region', { name: text.tool.output }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('an answer in markdown', async ({ page }) => {
    await saidAndDone(page, '/demo markdown');
    expect(await violations(page)).toEqual([]);
  });

  test('an error', async ({ page }) => {
    await saidAndDone(page, '[[say:Almost.]] [[error:401]]');
    await page.getByRole('group', { name: text.error.title }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a question, with what waits until it is answered', async ({ page }) => {
    await beCareful(page);
    await say(page, '[[tool:write_file {"path":"a.txt","content":"one\\n"}]] [[say:Done.]]');
    await questions(page).waitFor();
    await say(page, 'And then?');
    await page.getByRole('button', { name: text.queue.edit }).click();
    await page.getByRole('textbox', { name: text.queue.edit }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a message that is edited, and versions of a turn', async ({ page }) => {
    await saidAndDone(page, 'Hello [[say:Hi.]]');
    await page.getByRole('button', { name: text.branch.regenerate }).click();
    await page.getByRole('group', { name: text.branch.title }).waitFor();
    await page.getByRole('button', { name: text.branch.edit }).click();
    expect(await violations(page)).toEqual([]);
  });

  test('a dialog', async ({ page }) => {
    await page.getByRole('button', { name: text.keys.title }).click();
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a narrow page', async ({ page }) => {
    await page.setViewportSize({ width: 380, height: 700 });
    await saidAndDone(page, '[[tool:list_directory {"path":"."}]] [[say:Done.]]');
    expect(await violations(page)).toEqual([]);
  });
});

/** Ask again until it is what it should be: colours pass into each other. */
const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

describe('the theme', () => {
  test('follows the system until the person chooses, and the choice stays', async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await ground(page);
    expect(dark).not.toBe(light);
    await page.getByRole('button', { name: text.theme('system') }).click();
    await page.getByRole('button', { name: text.theme('light') }).waitFor();
    await expect.poll(() => ground(page)).toBe(light);
    await page.reload();
    await composer(page).waitFor();
    await expect.poll(() => ground(page)).toBe(light);
  });
});

test('nothing is wider than a narrow page, whatever the answer', async ({ page }) => {
  await page.setViewportSize({ width: 380, height: 700 });
  await saidAndDone(page, '/demo markdown');
  await isOver(page, '/demo markdown');
  expect(await turns(page).evaluateAll(all => all.filter(turn => turn.scrollWidth > turn.clientWidth).length)).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
});
