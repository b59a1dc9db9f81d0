import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import type { Home, Served } from '../program.ts';
import { answer, composer, gone, openNewer, readable, say, saidAndDone, stopButton, test, turns } from './browser.ts';

/** Kills what Parley started: the process that the agent runs in. */
async function killRunner(home: Home, parley: Served): Promise<void> {
  const runners = (await home.processes()).filter(pid => pid !== parley.door.pid);
  expect(runners.length).toBeGreaterThan(0);
  for (const pid of runners) process.kill(pid, 'SIGKILL');
}

const session = (page: Page, title: RegExp) => page.getByRole('navigation').getByRole('link', { name: title });

test('the runner is killed in the middle: what was said stays, the error says so, the next message works', async ({ page, home, parley }) => {
  await say(page, '[[say:So far.]] [[hang]]');
  await readable(answer(page)).toContain('So far.');
  await killRunner(home, parley);
  await readable(page.getByRole('group', { name: text.error.title })).toContain('sandbox_error');
  await readable(answer(page)).toContain('So far.');
  await saidAndDone(page, 'Again [[say:Alive.]]');
  await readable(answer(page)).toContain('Alive.');
});

describe('Parley is killed', () => {
  test('in the middle of an answer: the page says that it reconnects, and its new link finds what was said', async ({ page, faults, parley, serve }) => {
    faults.provoke(gone);
    await say(page, 'Unlucky [[say:So far.]] [[hang]]');
    await readable(answer(page)).toContain('So far.');
    await parley.stop('SIGKILL');
    await page.getByText(text.connection.lost).waitFor();
    await readable(answer(page)).toContain('So far.');

    const again = await serve(new URL(parley.door.url).host);
    await page.getByText(text.connection.locked).waitFor();
    await openNewer(page, again.link);
    await session(page, /Unlucky/).click();
    await readable(turns(page)).toContain('So far.');
    await expect.poll(() => stopButton(page).count()).toBe(0);
    await saidAndDone(page, 'Again [[say:Alive.]]');
    await readable(answer(page)).toContain('Alive.');
  });

  test('while a draft is written: all of it is there afterwards', async ({ page, faults, parley, serve }) => {
    faults.provoke(gone);
    await composer(page).fill('Half a thought');
    await session(page, /Half a thought/).waitFor();
    await parley.stop('SIGKILL');
    await page.getByText(text.connection.lost).waitFor();
    expect(await composer(page).inputValue()).toBe('Half a thought');
    await composer(page).fill('Half a thought, and the other half');
    const again = await serve(new URL(parley.door.url).host);
    await page.getByText(text.connection.locked).waitFor();
    await openNewer(page, again.link);
    await session(page, /Half a thought/).click();
    await expect.poll(() => composer(page).inputValue()).toBe('Half a thought, and the other half');
  });

  test('and a message cannot be sent: it stays where it was typed', async ({ page, faults, parley }) => {
    faults.provoke(gone);
    await parley.stop('SIGKILL');
    await page.getByText(text.connection.lost).waitFor();
    await say(page, 'Into the void');
    await page.getByText(text.composer.notConnected).waitFor();
    expect(await composer(page).inputValue()).toBe('Into the void');
    expect(await turns(page).count()).toBe(0);
  });
});

test('a page without the key says how to get in', async ({ visitor, parley }) => {
  const page = await visitor.newPage();
  await page.goto(parley.door.url);
  await page.getByRole('heading', { name: text.locked.title }).waitFor();
  await page.goto(parley.link);
  await composer(page).waitFor();
  // §9 it leaves the address bar
  expect(page.url(), 'the key left the address bar').toBe(`${parley.door.url}/`);
});
