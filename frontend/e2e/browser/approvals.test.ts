import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { beCareful, composer, files, gone, isOver, openNewer, questions, readable, saidAndDone, say, stopButton, stored, test, turns, violations } from './browser.ts';

const write = (path: string, content: string) => `[[tool:write_file ${JSON.stringify({ path, content })}]]`;
const button = (page: Page, name: string) => questions(page).getByRole('button', { name });
const created = (page: Page, path: string) => turns(page).getByRole('button', { name: `${text.tool.create.done} ${path}` });
const mark = (page: Page) => page.getByRole('navigation').getByRole('img', { name: text.sessions.paused });

/** Asks the careful agent for something that it has to ask about. */
async function asked(page: Page, words: string): Promise<void> {
  await beCareful(page);
  await say(page, words);
  await questions(page).waitFor();
}

test.beforeEach(({ page }) => page.getByRole('combobox', { name: text.agent.choose }).waitFor());

describe('§6 Approvals: a call that changes something', () => {
  test('is shown where it is made, waits for the person, and runs once they allow it', async ({ page }) => {
    await asked(page, `Go on ${write('a.txt', 'one\n')} [[say:Done.]]`);
    const card = questions(page);
    for (const words of [text.tool.write.asking, 'a.txt (1 line)', text.question.action('fs_write'), 'one', 'Demo agent that asks']) {
      await readable(card).toContain(words);
    }
    await readable(page.getByRole('alert').first()).toBe(text.said.asks(1, 'write_file'));
    await mark(page).waitFor();
    expect(await files(page), 'nothing happens before the answer').toEqual({});
    expect(await composer(page).evaluate(box => box === document.activeElement), 'the focus stays where it is').toBe(true);

    await button(page, text.question.once).click();
    await isOver(page, 'Done.');
    await created(page, 'a.txt').waitFor();
    expect(await files(page)).toEqual({ 'a.txt': 'one\n' });
    await mark(page).waitFor({ state: 'detached' });
    expect(await questions(page).count()).toBe(0);
  });

  test('that is denied with a note does not run, and the note is for the agent', async ({ page }) => {
    await asked(page, `Go on ${write('a.txt', 'one\n')} [[say:Then not.]]`);
    await page.getByRole('textbox', { name: text.question.note }).fill('Use another name.');
    await page.keyboard.press('Enter');
    await isOver(page, 'Then not.');
    await turns(page).getByRole('button', { name: `${text.tool.write.denied} a.txt` }).waitFor();
    await turns(page).getByText(text.tool.denied('Use another name.')).waitFor();
    expect(await files(page)).toEqual({});
  });

  test('can be allowed for the session, and the next one does not ask', async ({ page }) => {
    await asked(page, `Go on ${write('a.txt', 'one\n')} [[say:First.]]`);
    await button(page, text.allow.scopes.session).click();
    await isOver(page, 'First.');
    await saidAndDone(page, `Again ${write('b.txt', 'two\n')} [[say:Second.]]`);
    expect(await files(page)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  });

  test('follows the mode, and what was allowed for the project is listed, and taken back', async ({ page }) => {
    const mode = page.getByRole('combobox', { name: text.mode.choose });
    await beCareful(page);
    await mode.selectOption('accept_edits');
    await saidAndDone(page, `One ${write('a.txt', 'one\n')} [[say:First.]]`);
    await mode.selectOption('plan');
    await saidAndDone(page, `Two ${write('b.txt', 'two\n')} [[say:Second.]]`);
    await turns(page).getByRole('button', { name: `${text.tool.write.denied} b.txt` }).waitFor();
    await mode.selectOption('ask');
    await say(page, `Three ${write('c.txt', 'three\n')} [[say:Third.]]`);
    await button(page, text.allow.scopes.project).click();
    await isOver(page, 'Third.');
    expect(await files(page)).toEqual({ 'a.txt': 'one\n', 'c.txt': 'three\n' });
    await page.keyboard.press('Alt+p');
    const dialog = page.getByRole('dialog', { name: text.permissions.title });
    await dialog.getByRole('button', { name: text.permissions.revokeOne('write_file') }).click();
    await dialog.getByText(text.permissions.none).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await say(page, `Four ${write('d.txt', 'four\n')} [[say:Fourth.]]`);
    await questions(page).waitFor();
  });

  test('waits in one list with those of all sessions, and is answered there, from another window', async ({ page, context, parley }) => {
    await asked(page, `One ${write('a.txt', 'one\n')} [[say:First.]]`);
    await page.keyboard.press('Alt+n');
    await asked(page, `Two ${write('b.txt', 'two\n')} [[say:Second.]]`);
    await expect.poll(() => page.title()).toMatch(/^\(2\) /);
    const other = await context.newPage();
    await other.goto(parley.link);
    await other.getByRole('button', { name: text.inbox.open(2) }).waitFor();
    await other.keyboard.press('Alt+i');
    const list = other.getByRole('dialog', { name: text.inbox.title }).getByRole('listitem');
    await list.nth(1).getByRole('button', { name: text.question.once }).click();
    await isOver(page, 'Second.');
    expect(await list.count()).toBe(1);
    expect(await violations(other)).toEqual([]);
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  });

  test('is answered by keys alone, but not by what is still being typed', async ({ page }) => {
    await asked(page, `Go on ${write('a.txt', 'one\n')} ${write('b.txt', 'two\n')} [[say:Done.]]`);
    await page.waitForTimeout(600); // the card has been there for long; the focus has not
    await page.keyboard.press('Alt+a');
    await page.keyboard.press('y');
    await page.keyboard.press('n');
    expect(await questions(page).count()).toBe(1);
    await page.waitForTimeout(600);
    await page.keyboard.press('y');
    await readable(questions(page)).toContain('b.txt');
    await page.keyboard.press('Alt+a');
    await page.waitForTimeout(600);
    await page.keyboard.press('n');
    await isOver(page, 'Done.');
    expect(await files(page)).toEqual({ 'a.txt': 'one\n' });
    await expect.poll(() => composer(page).evaluate(box => box === document.activeElement), { message: 'what had the focus is gone' }).toBe(true);
  });

  test('is still asked after a reload', async ({ page }) => {
    await asked(page, `Go on ${write('a.txt', 'one\n')} [[say:Done.]]`);
    await page.reload();
    await questions(page).waitFor();
    expect(await stopButton(page).count(), 'a turn that waits can be stopped').toBe(1);
    await button(page, text.question.once).click();
    await isOver(page, 'Done.');
  });

  test('does not run if the turn is stopped instead', async ({ page }) => {
    await asked(page, `Go on ${write('a.txt', 'one\n')} [[say:Done.]]`);
    await stopButton(page).click();
    await readable(turns(page).last()).toContain(text.end.stopped);
    expect(await questions(page).count()).toBe(0);
    expect(await files(page)).toEqual({});
    await saidAndDone(page, 'Hello [[say:Still here.]]');
  });
});

test('§6 any number of clients: an answer in one window is one in all of them', async ({ page, context, parley }) => {
  await asked(page, `Go on ${write('a.txt', 'one\n')} ${write('b.txt', 'two\n')} [[say:Done.]]`);
  await page.waitForURL(/#\/sess_/);
  const other = await context.newPage();
  await other.goto(`${parley.link}`);
  await other.getByRole('navigation').getByRole('link', { name: /Go on/ }).click();
  await readable(questions(other)).toContain('a.txt');
  await button(other, text.question.once).click();
  for (const each of [page, other]) await readable(questions(each)).toContain('b.txt');
  await button(page, text.question.deny).click();
  for (const each of [page, other]) await isOver(each, 'Done.');
  expect((await stored(page))[1]).toEqual((await stored(other))[1]);
  expect(await files(page)).toEqual({ 'a.txt': 'one\n' });
});

test('§6 restarting the app in the middle loses neither the question nor the answer: the file is written exactly once', async ({ page, faults, parley, serve }) => {
  faults.provoke(gone);
  await asked(page, `Go on ${write('a.txt', 'one\n')} [[say:Done.]]`);
  await parley.stop('SIGKILL');
  const again = await serve(new URL(parley.door.url).host);
  await page.getByText(text.connection.locked).waitFor();
  await openNewer(page, again.link);
  await page.getByRole('navigation').getByRole('link', { name: /Go on/ }).click();
  await button(page, text.question.once).click();
  await isOver(page, 'Done.');
  await created(page, 'a.txt').waitFor(); // a second time it would be edited
  expect(await turns(page).getByRole('button', { name: 'a.txt' }).count()).toBe(1);
  expect(await files(page)).toEqual({ 'a.txt': 'one\n' });
});

test('an answer that cannot be stored says so, and can be given again', async ({ page, faults }) => {
  faults.provoke(/ERR_FAILED/);
  await asked(page, `Go on ${write('a.txt', 'one\n')} [[say:Done.]]`);
  await page.route('**/approvals/*', route => route.abort());
  await button(page, text.question.once).click();
  await readable(questions(page).getByRole('alert')).toBe(text.question.problem(text.unreachable));
  await page.unroute('**/approvals/*');
  await button(page, text.question.once).click();
  await isOver(page, 'Done.');
  expect(await files(page)).toEqual({ 'a.txt': 'one\n' });
});

test('a question that is out of sight is told of above the message box, which leads to it', async ({ page }) => {
  await page.setViewportSize({ width: 1200, height: 420 });
  await beCareful(page);
  await saidAndDone(page, '[[deltas:400]]');
  await say(page, `Go on ${write('a.txt', 'a line\n'.repeat(60))} [[say:Done.]]`);
  await questions(page).waitFor();
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -50_000);
  const bar = page.getByText(text.question.waiting(1));
  await bar.waitFor();
  await page.getByRole('button', { name: text.question.show, exact: true }).click();
  await bar.waitFor({ state: 'detached' });
  await expect.poll(() => questions(page).evaluate(card => card === document.activeElement)).toBe(true);
});
