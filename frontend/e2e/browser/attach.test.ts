import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { Served } from '../program.ts';
import { answer, composer, isOver, readable, saidAndDone, say, sendButton, stopButton, test as base, turns, violations } from './browser.ts';

/** A machine with a small agent that sees pictures. */
const test = base.extend('parley', async ({ home }, { onCleanup }) => {
  const programs = join(home.path, 'bin');
  await mkdir(programs);
  await symlink(resolve(import.meta.dirname, '../agent.mjs'), join(programs, 'opencode'));
  const parley = await Served.start(home, { PATH: `${programs}:${process.env.PATH}` });
  onCleanup(() => parley.stop());
  return parley;
});

const picker = (page: Page) => page.getByRole('combobox', { name: text.agent.choose });
const chips = (page: Page) => page.getByRole('list', { name: text.attach.title }).getByRole('listitem');
const remove = (page: Page, name: string) => page.getByRole('button', { name: text.attach.remove(name) });
const pictures = (page: Page) => turns(page).last().getByRole('img');
/** Whether a picture can be seen, and not only its frame. */
const width = (page: Page) => pictures(page).first().evaluate((image: HTMLImageElement) => image.naturalWidth);

/** A picture of one colour, or so many bytes. */
interface Given {
  name: string;
  color?: string;
  bytes?: number;
}

/** Does with files what a person does by pasting them into the box, or by holding them over the page and dropping them there. */
async function give(page: Page, how: 'paste' | 'drop' | 'dragover', files: Given[]): Promise<void> {
  await composer(page).evaluate(
    async (box, { type, given }) => {
      const data = new DataTransfer();
      for (const { name, color = '', bytes = 0 } of given) {
        const canvas = new OffscreenCanvas(320, 200);
        const brush = canvas.getContext('2d')!;
        brush.fillStyle = color;
        brush.fillRect(0, 0, 320, 200);
        data.items.add(new File([color ? await canvas.convertToBlob() : new Uint8Array(bytes)], name, { type: color ? 'image/png' : '' }));
      }
      const init = { bubbles: true, cancelable: true };
      box.dispatchEvent(type === 'paste' ? new ClipboardEvent(type, { ...init, clipboardData: data }) : new DragEvent(type, { ...init, dataTransfer: data }));
    },
    { type: how, given: files },
  );
}

const sky = { name: 'sky.png', color: 'steelblue' };
const sand = { name: 'sand.png', color: 'tan' };
const list = { name: 'list.txt', bytes: 5 };

test.beforeEach(({ page }) => picker(page).waitFor());

test('pictures that are pasted and dropped are seen by the agent, and shown, also after a reload', async ({ page }) => {
  await picker(page).selectOption('opencode');
  await give(page, 'paste', [sky]);
  await give(page, 'drop', [sand]);
  await expect.poll(() => chips(page).locator('img').count()).toBe(2);
  await readable(chips(page).first()).not.toContain(text.attach.unseen);
  expect(await violations(page)).toEqual([]);
  await say(page, 'What are these?');
  await isOver(page, 'What are these?');
  await readable(answer(page)).toContain('with pictures: 2');
  expect(await chips(page).count()).toBe(0);
  await expect.poll(() => width(page)).toBe(320);
  await page.reload();
  await expect.poll(() => width(page)).toBe(320);
  await page.getByRole('button', { name: text.enlarge('sand.png') }).click();
  await page.getByRole('dialog', { name: 'sand.png' }).getByRole('img').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('files that are held over the page are told where to go, until they are dropped or leave', async ({ page }) => {
  const hint = page.getByText(text.attach.drop);
  await give(page, 'dragover', [sky]);
  await hint.waitFor();
  await hint.waitFor({ state: 'detached' });
  await give(page, 'dragover', [sky]);
  await give(page, 'drop', [sky]);
  expect(await hint.count()).toBe(0);
  await expect.poll(() => chips(page).count()).toBe(1);
});

test('a message may be a picture without a word', async ({ page }) => {
  await picker(page).selectOption('opencode');
  await give(page, 'paste', [sky]);
  await sendButton(page).click();
  await readable(answer(page)).toContain('with pictures: 1');
  await expect.poll(() => width(page)).toBe(320);
});

describe('what is attached', () => {
  test('belongs to the draft of its session, there and after a reload', async ({ page }) => {
    await composer(page).fill('See:');
    await give(page, 'drop', [sky, list]);
    await readable(chips(page).last()).toMatch(/list\.txt\s+5 B/);
    await page.waitForURL(({ hash }) => hash.length > '#/'.length);
    const here = page.url();
    await page.keyboard.press('Alt+n');
    await chips(page).first().waitFor({ state: 'detached' });
    await page.goto(here);
    await expect.poll(() => chips(page).count()).toBe(2);
    await page.reload();
    await expect.poll(() => chips(page).locator('img').count()).toBe(1);
    expect(await composer(page).inputValue()).toBe('See:');
    await remove(page, 'sky.png').focus();
    await page.keyboard.press('Backspace');
    await expect.poll(() => chips(page).count()).toBe(1);
    await page.keyboard.press('Delete');
    await expect.poll(() => chips(page).count()).toBe(0);
    expect(await composer(page).evaluate(box => box === document.activeElement)).toBe(true);
  });

  test('and is not taken says why, and holds the message back until it is gone', async ({ page, faults }) => {
    faults.provoke(/status of 400/);
    await composer(page).fill('Look');
    await give(page, 'drop', [{ name: 'nothing.txt' }, { name: 'much.bin', bytes: 11 * 2 ** 20 }]);
    await readable(chips(page).first()).toContain('The file is empty');
    await readable(chips(page).last()).toContain('10 MB at most');
    await page.getByText(text.attach.notReady).waitFor();
    expect(await sendButton(page).isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await remove(page, 'nothing.txt').click();
    await remove(page, 'much.bin').click();
    await sendButton(page).click();
    await isOver(page, 'Look');
  });

  test('and not seen by the agent is said to be', async ({ page }) => {
    await give(page, 'drop', [sky, list]);
    await readable(chips(page).first()).toContain(text.attach.unseen);
    await picker(page).selectOption('opencode');
    await readable(chips(page).first()).not.toContain(text.attach.unseen);
    await readable(chips(page).last()).toContain(text.attach.unseen);
  });

  test('stays with its message when that waits, is edited, or is answered anew', async ({ page }) => {
    await say(page, 'First [[hang]]');
    await stopButton(page).waitFor();
    await give(page, 'paste', [sky]);
    await chips(page).locator('img').waitFor();
    await page.getByRole('button', { name: text.composer.queue }).click();
    const waiting = page.getByRole('region', { name: text.queue.title });
    await readable(waiting).toContain('sky.png');
    await waiting.getByRole('button', { name: text.queue.sendNow }).click();
    await expect.poll(() => width(page)).toBe(320);
    await sendButton(page).waitFor();
    await saidAndDone(page, 'Between [[say:Yes.]]');
    await give(page, 'paste', [sand]);
    await chips(page).locator('img').waitFor();
    await saidAndDone(page, 'Second [[say:Two.]]');
    await turns(page).last().getByRole('button', { name: text.branch.edit }).click();
    await page.getByRole('textbox', { name: text.branch.edit }).fill('Third [[say:Three.]]');
    await page.keyboard.press('Enter');
    await isOver(page, 'Three.');
    await turns(page).last().getByRole('button', { name: text.branch.regenerate }).click();
    await isOver(page, 'Three.');
    await page.reload();
    await readable(turns(page).last()).toContain('Third');
    await expect.poll(() => pictures(page).first().getAttribute('alt')).toBe('sand.png');
  });
});
