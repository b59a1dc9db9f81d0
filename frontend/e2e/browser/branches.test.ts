import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { answer, composer, isOver, readable, saidAndDone, stored, test, turns } from './browser.ts';

const versions = (page: Page) => page.getByRole('group', { name: text.branch.title });
const step = (page: Page, name: string) => versions(page).getByRole('button', { name });
const editor = (page: Page) => page.getByRole('textbox', { name: text.branch.edit });

/** What the session shows: what was asked, in order. */
const shown = (page: Page) => turns(page).locator('p[dir=auto]').allInnerTexts();

async function edit(page: Page, turn: number, words: string): Promise<void> {
  await turns(page).nth(turn).hover();
  await turns(page).nth(turn).getByRole('button', { name: text.branch.edit }).click();
  await editor(page).fill(words);
  await editor(page).press('Enter');
}

describe('§7 Editing a sent message', () => {
  test('makes a branch; both stay, also over a reload, and the person switches between them', async ({ page }) => {
    await saidAndDone(page, 'Old [[say:Old answer.]]');
    await saidAndDone(page, 'More [[say:More of it.]]');
    await edit(page, 0, 'New [[say:New answer.]]');
    await isOver(page, 'New answer.');
    await readable(versions(page)).toContain('2/2');
    expect(await shown(page)).toEqual(['New [[say:New answer.]]']);

    await step(page, text.branch.previous).click();
    await readable(turns(page).last()).toContain('More of it.');
    expect(await shown(page)).toEqual(['Old [[say:Old answer.]]', 'More [[say:More of it.]]']);
    await readable(versions(page)).toContain('1/2');

    await page.reload();
    await readable(versions(page)).toContain('1/2');
    await step(page, text.branch.next).click();
    await readable(turns(page).last()).toContain('New answer.');
    expect((await stored(page)).length).toBe(2);
    await saidAndDone(page, 'On [[say:The branch goes on.]]');
    expect(await shown(page)).toEqual(['New [[say:New answer.]]', 'On [[say:The branch goes on.]]']);
  });

  test('is left by Escape as it was, and what was begun survives that it is scrolled away', async ({ page }) => {
    await saidAndDone(page, 'First [[say:Hi.]]');
    await turns(page).first().getByRole('button', { name: text.branch.edit }).focus();
    await page.keyboard.press('Enter');
    await editor(page).fill('Half an idea');
    for (let i = 0; i < 4; i++) await saidAndDone(page, `More ${i} [[deltas:300]]`);
    await editor(page).waitFor({ state: 'detached' });
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -100_000);
    await expect.poll(() => editor(page).inputValue()).toBe('Half an idea');
    expect(await composer(page).evaluate(box => box === document.activeElement)).toBe(true); // whoever writes there goes on
    await editor(page).press('Escape');
    await readable(turns(page).first()).toContain('First');
    expect(await versions(page).count()).toBe(0);
  });
});

describe('§7 regenerating an answer', () => {
  test('makes a branch, and switching keeps the reading place', async ({ page }) => {
    await saidAndDone(page, 'Before [[deltas:200]]');
    await saidAndDone(page, 'Think [[deltas:60]]');
    for (let i = 0; i < 3; i++) await saidAndDone(page, `After ${i} [[deltas:200]]`);
    for (let i = 0; i < 4; i++) await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('article', { name: /Think/ }).getByRole('button', { name: text.branch.regenerate }).click();
    await isOver(page, 'Think');
    await readable(versions(page)).toContain('2/2');
    expect(await turns(page).count()).toBe(2);

    await page.getByRole('log').hover();
    const place = async () => Math.round((await versions(page).boundingBox())!.y);
    const before = await place();
    await step(page, text.branch.previous).click();
    await readable(versions(page)).toContain('1/2');
    expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(1);
    await step(page, text.branch.next).click();
    await readable(versions(page)).toContain('2/2');
    expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(1);
  });

  test('is done by keys alone, and what the arrows say is said aloud', async ({ page }) => {
    await saidAndDone(page, 'Think [[say:Thought.]]');
    await turns(page).getByRole('button', { name: text.branch.regenerate }).focus();
    await page.keyboard.press('Enter');
    await versions(page).waitFor();
    await versions(page).getByRole('status', { name: text.branch.says(2, 2) }).waitFor();
    await step(page, text.branch.previous).focus();
    await page.keyboard.press('Enter');
    await versions(page).getByRole('status', { name: text.branch.says(1, 2) }).waitFor();
  });
});

test('§7 forking copies the branch up to a message into a new session', async ({ page }) => {
  await saidAndDone(page, 'One [[say:First.]]');
  await saidAndDone(page, 'Two [[say:Second.]]');
  const from = page.url();
  await turns(page).first().hover();
  await turns(page).first().getByRole('button', { name: text.branch.fork }).click();
  await expect.poll(() => page.url()).not.toBe(from);
  await readable(answer(page)).toContain('First.');
  expect(await shown(page)).toEqual(['One [[say:First.]]']);
  await saidAndDone(page, 'Three [[say:Third.]]');
  expect((await stored(page)).length).toBe(4);
  await page.goto(from);
  await readable(turns(page).last()).toContain('Second.');
  expect(await composer(page).inputValue()).toBe('');
});
