import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { beCareful, composer, isOver, questions, readable, say, stopButton, stored, test, turns } from './browser.ts';

const waiting = (page: Page) => page.getByRole('region', { name: text.queue.title });
const chips = (page: Page) => waiting(page).getByRole('listitem');
const asked = async (page: Page) => (await stored(page)).filter(({ role }) => role === 'user').map(({ parts }) => parts[0]!.text);

/** Says something that takes until it is stopped, and something more meanwhile. */
async function busyWith(page: Page, ...words: string[]): Promise<void> {
  await say(page, 'First [[hang]]');
  await stopButton(page).waitFor();
  for (const [i, said] of words.entries()) {
    await say(page, said);
    await expect.poll(() => chips(page).count()).toBe(i + 1);
  }
}

const writes = 'First [[tool:write_file {"path":"a.txt","content":"x"}]] [[say:Done.]]';

/** Says something that waits for the person. */
async function ask(page: Page): Promise<void> {
  await beCareful(page);
  await say(page, writes);
  await questions(page).waitFor();
}

const allow = (page: Page) => questions(page).getByRole('button', { name: text.question.once }).click();

describe('§6 Queue and steer: what is said during a turn', () => {
  test('waits while the turn does, and goes one by one when it is done', async ({ page }) => {
    await ask(page);
    for (const n of ['one', 'two', 'three']) await say(page, `Then ${n} [[say:Did ${n}.]]`);
    await readable(waiting(page)).toContain(text.queue.next(3));
    expect(await composer(page).inputValue()).toBe('');
    await allow(page);
    await isOver(page, 'Did three.');
    await waiting(page).waitFor({ state: 'detached' });
    expect(await asked(page)).toEqual([writes, ...['one', 'two', 'three'].map(n => `Then ${n} [[say:Did ${n}.]]`)]);
  });

  test('can be changed and removed, and is there after a reload', async ({ page }) => {
    await busyWith(page, 'One', 'Two', 'Three');
    await page.reload();
    await expect.poll(() => chips(page).allInnerTexts()).toEqual(['One', 'Two', 'Three']);
    expect(await composer(page).inputValue(), 'what waits is no draft any more').toBe('');
    await chips(page).nth(1).getByRole('button', { name: text.queue.remove }).click();
    await expect.poll(() => chips(page).allInnerTexts()).toEqual(['One', 'Three']);
    await chips(page).first().getByRole('button', { name: text.queue.edit }).click();
    await page.getByRole('textbox', { name: text.queue.edit }).fill('One, in other words');
    await page.keyboard.press('Enter');
    await expect.poll(() => chips(page).allInnerTexts()).toEqual(['One, in other words', 'Three']);
    await chips(page).first().getByRole('button', { name: text.queue.edit }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => chips(page).allInnerTexts()).toEqual(['One, in other words', 'Three']);
    expect(await stopButton(page).count(), 'Escape left the text, not the turn').toBe(1);
  });

  test('and goes while somebody changes it leaves them their words', async ({ page }) => {
    await ask(page);
    await say(page, 'Next [[say:Did it.]]');
    await chips(page).getByRole('button', { name: text.queue.edit }).click();
    await page.getByRole('textbox', { name: text.queue.edit }).fill('Next, in other words');
    await allow(page);
    await isOver(page, 'Did it.');
    expect(await composer(page).inputValue()).toBe('Next, in other words');
  });

  test('waits for the person after a stop, and says so; what is sent now goes first', async ({ page }) => {
    await busyWith(page, 'One [[say:Did one.]]', 'Two [[say:Did two.]]');
    await stopButton(page).click();
    await readable(waiting(page)).toContain(text.queue.held(2));
    expect(await turns(page).count()).toBe(1);
    await chips(page).nth(1).getByRole('button', { name: text.queue.sendNow }).click();
    await isOver(page, 'Did one.'); // the other follows
    expect(await asked(page)).toEqual(['First [[hang]]', 'Two [[say:Did two.]]', 'One [[say:Did one.]]']);
  });

  test('and sent to an agent that takes it meanwhile, is a part of its answer', async ({ page }) => {
    await say(page, 'First [[say:One.]] [[steer]]');
    await readable(turns(page).first()).toContain('One.');
    await say(page, 'And two [[say:Two.]]');
    await chips(page).getByRole('button', { name: text.queue.steer }).press('Enter');
    await isOver(page, 'Two.');
    await waiting(page).waitFor({ state: 'detached' });
    const whole = ['First [[say:One.]] [[steer]]', 'One.', text.steered, 'And two [[say:Two.]]', 'Two.'];
    const inOrder = async () => {
      const shown = await turns(page).first().innerText();
      expect(whole.map(part => shown.indexOf(part)), shown).toEqual(whole.map(part => shown.indexOf(part)).toSorted((a, b) => a - b));
      expect(shown).toContain(whole[3]);
    };
    await inOrder();
    await page.reload();
    await isOver(page, 'Two.');
    await inOrder();
    expect(await turns(page).count()).toBe(1);
  });

  test('and sent at once, by Ctrl+Enter, stops the turn', async ({ page }) => {
    await busyWith(page, 'One [[say:Did one.]]');
    await composer(page).fill('Now [[say:Did it now.]]');
    await composer(page).press('Control+Enter');
    await isOver(page, 'Did one.');
    expect(await asked(page)).toEqual(['First [[hang]]', 'Now [[say:Did it now.]]', 'One [[say:Did one.]]']);
    await readable(turns(page).first()).toContain(text.end.stopped);
  });
});
