import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { answer, composer, isOver, readable, say, saidAndDone, sendButton, stopButton, stored, test, turns } from './browser.ts';

const plain = (words: string) => words.replace(/\s+/g, ' ').trim();

describe('a message and its answer', () => {
  test('the answer appears while it is written, and is what is stored', async ({ page }) => {
    const words = 'Tell me something. [[deltas:200]] [[gap:5ms]]';
    await say(page, words);
    await answer(page).waitFor();
    expect(await stopButton(page).isVisible(), 'the words came before the end').toBe(true);
    await isOver(page, words);
    await sendButton(page).waitFor();

    const said = (await stored(page))[1]!.parts.find(part => part.type === 'text')!.text!;
    await expect.poll(async () => plain(await answer(page).innerText())).toBe(`${text.answered} ${plain(said)}`);
    expect(await page.title()).toMatch(/^Tell me something/);
  });

  test('Stop in the middle keeps what was said and says so; the next message works', async ({ page }) => {
    await say(page, '[[say:Only the half of it.]] [[hang]]');
    await readable(answer(page)).toContain('Only the half of it.');
    await stopButton(page).click();
    await readable(turns(page).last()).toContain(text.end.stopped);
    await readable(answer(page)).toContain('Only the half of it.');
    expect((await stored(page))[1]!.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Only the half of it.' }));

    await saidAndDone(page, 'Go on. [[say:The other half.]]');
    await readable(answer(page)).toContain('The other half.');
  });

  test('a Stop right after Enter stops it, too', async ({ page }) => {
    for (let i = 1; i <= 10; i++) {
      await say(page, `Never mind ${i} [[hang]]`);
      await page.keyboard.press('Escape');
      await readable(turns(page).last().filter({ hasText: `Never mind ${i}` })).toContain(text.end.stopped);
    }
  });

  test('a turn that failed says why, and Retry answers the same message', async ({ page }) => {
    await say(page, '[[say:Almost.]] [[error1:503]]');
    const error = page.getByRole('group', { name: text.error.title });
    await readable(error).toContain('provider_unavailable');
    await readable(answer(page)).toContain('Almost.');
    await error.getByRole('button', { name: text.error.retry }).click();
    await error.waitFor({ state: 'detached' });
    await isOver(page, 'Almost.');
    expect(await turns(page).count()).toBe(1);
    expect((await stored(page)).length).toBe(2);
  });
});

describe('by keyboard alone', () => {
  test('a person begins a chat, sends, stops, and goes to another', async ({ page }) => {
    await page.keyboard.press('Control+l');
    await page.keyboard.type('First chat [[say:Answer one.]]');
    await page.keyboard.press('Enter');
    await isOver(page, 'Answer one.');
    const first = page.getByRole('navigation').getByRole('link', { name: /First chat/ });
    await first.waitFor();

    await page.keyboard.press('Alt+n');
    await page.getByRole('heading', { name: text.welcome.title }).waitFor();
    await page.keyboard.press('Control+l');
    await page.keyboard.type('Second chat [[say:Answer two.]] [[hang]]');
    await page.keyboard.press('Enter');
    await readable(answer(page)).toContain('Answer two.');
    await page.keyboard.press('Escape');
    await readable(turns(page).last()).toContain(text.end.stopped);

    for (let i = 0; i < 30 && !(await first.evaluate(link => link === document.activeElement)); i++) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await readable(answer(page)).toContain('Answer one.');
  });

  test('Ctrl+. stops the answer from anywhere, and ? lists the keys', async ({ page }) => {
    await say(page, '[[hang]]');
    await stopButton(page).waitFor();
    await page.getByRole('log').focus();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: text.keys.title });
    await keys.waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await stopButton(page).waitFor();
    await page.keyboard.press('Control+.');
    await readable(turns(page).last()).toContain(text.end.stopped);
  });

  test('Shift+Enter begins a line, Enter sends both, ↑ brings them back', async ({ page }) => {
    await composer(page).focus();
    await page.keyboard.type('One line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('and another [[say:Read.]]');
    expect(await turns(page).count()).toBe(0);
    await page.keyboard.press('Enter');
    await isOver(page, 'Read.');
    expect((await stored(page))[0]!.parts[0]!.text).toBe('One line\nand another [[say:Read.]]');
    await page.keyboard.press('ArrowUp');
    expect(await composer(page).inputValue()).toBe('One line\nand another [[say:Read.]]');
  });

  test('Enter that picks a word of an input method does not send', async ({ page }) => {
    await composer(page).focus();
    const keyboard = await page.context().newCDPSession(page);
    await keyboard.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await keyboard.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
    await keyboard.send('Input.insertText', { text: '日本' });
    await keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
    expect(await composer(page).inputValue()).toBe('日本');
    expect(await turns(page).count()).toBe(0);
    await page.keyboard.press('Enter');
    await turns(page).filter({ hasText: '日本' }).waitFor();
  });
});
