import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { answer, readable, saidAndDone, violations } from './browser.ts';
import { Keyring } from './keyring.ts';
import { bare, button, fileOf, onDisk, open, saveCode, test as base, title, unlock } from './vault.ts';

/** A machine with a keychain that works, until the test does something to it. */
const test = base
  .extend('keyring', async ({ home }, { onCleanup }) => {
    const keyring = await Keyring.start(home);
    onCleanup(() => keyring.end());
    return keyring;
  })
  .extend('machine', ({ keyring }) => ({ ...bare, ...keyring.env }))
  /** A page whose history has a session, Hello. */
  .extend('page', async ({ context, parley }) => {
    const page = await open(context, parley);
    await page.getByRole('heading', { name: text.welcome.title }).waitFor();
    await saidAndDone(page, 'Hello [[say:Hi.]]');
    return page;
  });

/** Saves the recovery code that is offered after the first answer. */
async function saveOffered(page: Page): Promise<string> {
  await page.getByText(text.vault.notice.offer).waitFor();
  await button(page, text.vault.code.make).click();
  return saveCode(page);
}

const greeting = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /Hello/ });

/** A code like this one, of which the fifth group has a slip in it. */
const withSlip = (code: string) => code.slice(0, 24) + (code[24] === '7' ? '8' : '7') + code.slice(25);

/** Well formed, and of nobody's history: 256 zeros, and their checksum. */
const stranger = Array(13).fill('00000').join('-');

describe('the keychain', () => {
  test('takes the key at the first start, gives it at the second, and nothing is asked', async ({ page, startAgain }) => {
    await page.keyboard.press('Alt+k');
    await readable(page.getByRole('dialog').getByRole('listitem').first()).toMatch(/keyring/i);
    await greeting(await startAgain()).waitFor();
  });

  test('is locked: Parley asks it, says so, and opens once it is unlocked', async ({ page, home, keyring, disk, startAgain, faults }) => {
    await page.close();
    const locked = await startAgain(() => keyring.lock());
    await title(locked, text.vault.title.locked).waitFor();
    expect(await violations(locked)).toEqual([]);
    faults.provoke(/status of 50\d/);
    await button(locked, text.vault.unlock).click();
    await locked.getByRole('alert').waitFor(); // nobody is there to answer its dialog
    expect(await onDisk(home)).toEqual(disk.left);
    await keyring.unlock();
    await button(locked, text.again).click();
    await greeting(locked).waitFor();
  });

  test('is absent: the page says that it does not answer, and the recovery code opens', async ({ page, home, keyring, disk, startAgain }) => {
    const code = await saveOffered(page);
    const absent = await startAgain(() => keyring.end());
    await title(absent, text.vault.title.no_keychain).waitFor();
    expect(await violations(absent)).toEqual([]);
    await button(absent, text.vault.use.keychain).waitFor();
    expect(await onDisk(home)).toEqual(disk.left);
    await unlock(absent, code, text.vault.code.label);
    await greeting(absent).waitFor();
  });

  test('is absent, and there is no code: it can only be started, or left for a new history', async ({ page, home, keyring, disk, startAgain }) => {
    await page.close();
    const absent = await startAgain(() => keyring.end());
    await title(absent, text.vault.title.no_keychain).waitFor();
    expect(await violations(absent)).toEqual([]);
    await button(absent, text.again).waitFor();
    await button(absent, text.vault.startNew.offer).waitFor();
    expect(await absent.getByRole('textbox').count()).toBe(0);
    expect(await onDisk(home)).toEqual(disk.left);
  });

  test('was emptied: no wrong code opens, the right one does, and the keychain has the key again', async ({ page, home, keyring, disk, startAgain, faults }) => {
    const code = await saveOffered(page);
    const emptied = await startAgain(() => keyring.empty());
    await title(emptied, text.vault.title.needs_recovery_code).waitFor();
    expect(await violations(emptied)).toEqual([]);
    faults.provoke(/status of 400/);
    await unlock(emptied, withSlip(code), text.vault.code.label);
    await readable(emptied.getByRole('alert')).toMatch(/\b5\b/);
    await unlock(emptied, stranger, text.vault.code.label);
    await readable(emptied.getByRole('alert')).not.toMatch(/\b5\b/);
    expect(await onDisk(home)).toEqual(disk.left);
    await unlock(emptied, code, text.vault.code.label);
    await greeting(emptied).waitFor();
    await greeting(await startAgain()).waitFor();
  });

  test('was emptied, and there is no code: the history cannot be read, and is kept', async ({ page, home, keyring, disk, startAgain }) => {
    await page.close();
    const emptied = await startAgain(() => keyring.empty());
    await title(emptied, text.vault.title.unreadable).waitFor();
    expect(await violations(emptied)).toEqual([]);
    await button(emptied, text.vault.startNew.offer).waitFor();
    expect(await onDisk(home)).toEqual(disk.left);
  });

  test('of a second machine takes the key from the recovery code', async ({ page, home, startAgain }) => {
    const code = await saveOffered(page);
    await using other = await Keyring.start(home);
    const second = { ...other.env, PARLEY_HOME: join(home.path, 'second') };
    const there = await startAgain(() => cp(join(home.path, 'parley'), second.PARLEY_HOME, { recursive: true }), second);
    await title(there, text.vault.title.needs_recovery_code).waitFor();
    expect(await violations(there)).toEqual([]);
    await unlock(there, code, text.vault.code.label);
    await greeting(there).waitFor();
    await greeting(await startAgain(undefined, second)).waitFor();
    await greeting(await startAgain()).waitFor(); // the first machine has its own still
  });

  test('knows an older copy of the history, key file and all, and says so once', async ({ page, home, startAgain }) => {
    await page.close();
    const files = ['history.db', 'history.keys'] as const;
    const next = await startAgain(() => Promise.all(files.map(name => cp(fileOf(home, name), join(home.path, name)))));
    await greeting(next).click();
    await saidAndDone(next, 'More [[say:Of the same.]]');
    const older = await startAgain(() => Promise.all(files.map(name => cp(join(home.path, name), fileOf(home, name)))));
    await older.getByText(text.vault.notice.rolledBack).waitFor();
    await greeting(older).click();
    await readable(answer(older)).toContain('Hi.');
    expect(await older.getByText('Of the same.').count()).toBe(0);
    const again = await startAgain();
    await greeting(again).waitFor();
    expect(await again.getByText(text.vault.notice.rolledBack).count()).toBe(0);
  });
});
