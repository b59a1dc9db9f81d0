import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import type { Door, Home } from '../program.ts';
import { test } from './test.ts';
import { startAgain, type ParleyWindow } from './window.ts';

/** A window that shows nothing, or little, has fewer. */
const coloursOfAPage = 200;

/** Longer than anyone waits. */
const endless = '[[deltas:100000]] [[gap:5ms]]';

test('the window opens, paints the page, and is connected', async ({ home, desktop, window }) => {
  await expect.poll(() => desktop.windows()).toMatchObject([{ shown: true }]);
  await expect.poll(() => window.text()).toContain(text.welcome.demo);
  expect(await window.page.run(() => document.title)).toBe(`${text.newSession} — ${text.name}`);
  expect(await window.page.run(() => document.activeElement?.ariaLabel)).toBe(text.composer.label);

  const door = JSON.parse(await readFile(doorFile(home), 'utf8')) as Door;
  expect(door.pid).toBe(window.pid);
  expect(await window.page.run(() => globalThis.window.go!.app.Window.Connection())).toEqual(door);

  expect(await desktop.picture('window.png')).toBeGreaterThan(coloursOfAPage);
});

test('a message is answered', async ({ desktop, window }) => {
  await window.say('hello');
  await expect.poll(() => window.turn()).toContain('See what Parley can do');
  await desktop.picture('window-streaming.png');
  await expect.poll(() => window.turn()).toContain('I stay available.');
  await answerEnds(window);
});

test('a tool is called, and every delta of the answer is shown', async ({ window }) => {
  await window.say('[[tool:list_directory {"path":"."}]] [[deltas:50]]');
  await expect.poll(() => window.deltas()).toEqual([...Array(50).keys()]);
  await answerEnds(window);
  expect(await window.turn()).toContain(`${text.tool.list.done} .`);
});

test('Stop ends a long answer, and keeps what was said', async ({ window }) => {
  const before = await beginEndlessAnswer(window);
  expect(await window.isAnswering()).toBe(true);
  await window.pressStop();
  await answerEnds(window);
  expect(await window.turn()).toContain(text.end.stopped);
  expect(await window.deltas()).toEqual(expect.arrayContaining(before));
});

test('started again, Parley brings its one window to the front', async ({ home, desktop, window }) => {
  await expect.poll(() => desktop.windows()).toMatchObject([{ shown: true }]);
  await desktop.hide();
  await expect.poll(() => desktop.windows()).toMatchObject([{ shown: false }]);
  expect(await startAgain(home, desktop)).toBe(0);
  await expect.poll(() => desktop.windows()).toMatchObject([{ shown: true }]);
  expect(await window.text()).toContain(text.welcome.title);
});

test('closed in the middle of an answer, Parley leaves nothing running, and has the session the next time', async ({ home, desktop, open, window }) => {
  const before = await beginEndlessAnswer(window);
  await desktop.close();
  await endsCleanly(window, home);

  const next = await open();
  await next.goToNewest();
  await expect.poll(() => next.deltas()).toEqual(expect.arrayContaining(before));
  expect(await next.turn()).toContain(text.end.stopped);
  await next.say('hello');
  await expect.poll(() => next.turn()).toContain('Hello! I am');
});

test('what was searched for is found, and marked where it was said', async ({ desktop, window }) => {
  await window.say('Tell me of herons. [[say:Herons stand in rivers.]]');
  await answerEnds(window);
  await window.page.click(`input[aria-label="${text.search.label}"]`);
  await window.page.type('stand in');
  const found = async () => {
    await window.page.type(' '); // asks again: what was just said takes a moment to be there
    return window.page.run(() => document.querySelectorAll('[role=option]').length);
  };
  await expect.poll(found, { interval: 500 }).toBe(3);
  await window.page.click('[role=option]:last-child');
  await expect.poll(() => window.page.run(() => [...CSS.highlights.get('search')!].map(String))).toContain('stand in');
  await window.painted();
  await desktop.picture('window-search.png');
});

test('a session is exported to the canvas, and its turn is a card there', async ({ desktop, window }) => {
  await window.say('Tell me of herons.');
  await answerEnds(window);
  await window.page.click(`a[aria-label="${text.sessions.toCanvas}"]`);
  await expect.poll(() => window.page.run(() => document.querySelector<HTMLElement>('[data-id=turn-1]')?.innerText)).toContain('herons');
  await window.painted();
  await desktop.picture('window-canvas.png');
});

test('a recovery code is copied, or saved as a file', async ({ desktop, window }) => {
  await window.page.click(`button[aria-label="${text.vault.key.title}"]`);
  await window.page.click('dialog button[data-focus]');
  await expect.poll(() => window.page.run(() => document.querySelectorAll('dialog li').length)).toBe(13);
  expect(await window.page.run(() => document.querySelector('dialog')!.innerText)).toContain(text.vault.code.saveFile);
  await window.page.click('dialog ol + div button');
  await expect.poll(() => window.page.run(() => document.querySelector('dialog')!.innerText)).toContain(text.copied);
  await window.painted();
  await desktop.picture('window-code.png');
});

test('on a desktop that shows no notices it is said that nothing can be told there', async ({ window }) => {
  await window.page.click(`button[aria-label="${text.inbox.open(0)}"]`);
  await window.page.click('dialog button[aria-pressed]');
  await expect.poll(() => window.page.run(() => document.querySelector('dialog')!.innerText)).toContain(text.inbox.blocked);
});

test('what was typed just before the window closes is there the next time', async ({ home, desktop, open, window }) => {
  await window.write('half a thought');
  await desktop.close();
  await endsCleanly(window, home);

  const next = await open();
  await next.goToNewest();
  await expect.poll(() => next.draft()).toBe('half a thought');
});

test('the end of the desktop session ends Parley as cleanly', async ({ home, window }) => {
  await beginEndlessAnswer(window);
  window.terminate();
  await endsCleanly(window, home);
});

const doorFile = (home: Home) => join(home.path, 'parley/door.json');

/** Asks for an answer without end, and gives the deltas of it that were there first. */
async function beginEndlessAnswer(window: ParleyWindow): Promise<number[]> {
  await window.say(endless);
  await expect.poll(() => window.deltas()).toContain(20);
  return window.deltas();
}

async function answerEnds(window: ParleyWindow): Promise<void> {
  await expect.poll(() => window.isAnswering()).toBe(false);
}

/** Waits for the end of a Parley that has a runner at work, and of all that it started. */
async function endsCleanly(window: ParleyWindow, home: Home): Promise<void> {
  expect(await window.ended()).toBe(0);
  await expect.poll(() => home.processes()).toEqual([]);
  expect(existsSync(doorFile(home))).toBe(false);
}
