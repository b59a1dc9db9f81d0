import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import type { Door } from '../program.ts';
import { composer, readable, saidAndDone, test, turns } from './browser.ts';

// Turns, of two messages each. An agent is told all that was said before, so that each takes longer than the last.
const many = process.env.LONG ? 5_000 : 1_000;

/** Has a session of many turns, one after the other, as any client of the door does. */
async function converse({ url, token }: Door, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const say = (n: number) => {
    const messages = [{ id: `m${n}`, role: 'user', parts: [{ type: 'text', text: `Question ${n} [[say:Answer ${n}.]]` }] }];
    return fetch(`${url}/messages`, { method: 'POST', headers, body: JSON.stringify({ id, trigger: 'submit-message', messages }) });
  };
  await (await say(1)).text();
  await fetch(`${url}/sessions/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ maxTurns: many + 10 }) });
  for (let n = 2; n <= many; n++) await (await say(n)).text();
}

/** Turns that are in the document: those around what is seen, however long the session is. */
const shown = (page: Page) => turns(page).count();
const mostShown = 30;

test(`a session of ${many * 2} messages opens at its end, and scrolls to its beginning, a window of it at a time`, { timeout: 1_200_000 }, async ({ context, parley }) => {
  await converse(parley.door, 'long');
  const page = await context.newPage();
  await page.goto(parley.link);
  await page.getByRole('navigation').getByRole('link', { name: /Question 1 / }).click();
  await readable(turns(page).last()).toContain(`Answer ${many}.`);
  expect(await shown(page)).toBeLessThan(mostShown);

  await page.evaluate(() => {
    const tasks: number[] = ((window as unknown as { tasks: number[] }).tasks = []);
    new PerformanceObserver(list => tasks.push(...list.getEntries().map(entry => entry.duration))).observe({ type: 'longtask' });
  });
  await composer(page).focus();
  await page.keyboard.type('Typing is as quick here as in a session that has just begun.');
  const typing = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks.splice(0));

  const log = page.getByRole('log');
  const topmost = () => turns(page).first().getAttribute('aria-label');
  let most = 0;
  for (let top = await topmost(); !top!.includes('Question 1 '); top = await topmost()) {
    const goUp = async () => (await log.press('Home'), topmost());
    await expect.poll(goUp).not.toBe(top);
    most = Math.max(most, await shown(page));
  }
  expect(most).toBeLessThan(mostShown);
  const scrolling = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks.splice(0));
  console.log(`tasks over 50 ms, in ms: ${typing.map(Math.round).join(' ') || 'none'} while typing; ${scrolling.map(Math.round).join(' ') || 'none'} while scrolling`);

  await page.getByRole('button', { name: text.jump(0) }).waitFor(); // what was loaded is not new

  await composer(page).fill('');
  await saidAndDone(page, 'One more [[say:The last.]]');
  await readable(turns(page).last()).toContain('The last.');
  expect(await shown(page)).toBeLessThan(mostShown);
});
