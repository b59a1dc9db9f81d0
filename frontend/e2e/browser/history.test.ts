import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { answer, readable, saidAndDone, violations } from './browser.ts';
import { begin, button, dialog, field, onDisk, open, passphrase, saveCode, test, title, unlock } from './vault.ts';

const { rotate, erase } = text.vault;

/** Opens a step of the dialog about the key. */
async function choose(page: Page, step: string): Promise<void> {
  await page.keyboard.press('Alt+k');
  await button(page, step).click();
  await dialog(page).getByRole('textbox').first().waitFor();
}

const sessions = (page: Page) => page.getByRole('navigation').getByRole('listitem').getByRole('link');

describe('the key of the history', () => {
  test('is changed by who has what opens it, and that opens it afterwards', async ({ context, parley, home, startAgain, faults }) => {
    const page = await open(context, parley);
    await begin(page, { withCode: true });
    const code = await saveCode(page);
    await saidAndDone(page, 'Hello [[say:Hi.]]');
    const [before] = await onDisk(home);
    await choose(page, rotate.title);
    expect(await violations(page)).toEqual([]);
    faults.provoke(/status of 400/);
    await field(page, text.vault.code.label).fill(code);
    await field(page, text.vault.passphrase.label).fill('something else');
    await button(dialog(page), rotate.do).click();
    await dialog(page).getByRole('alert').waitFor();
    expect((await onDisk(home))[0], 'nothing was changed').toBe(before);
    await field(page, text.vault.passphrase.label).fill(passphrase);
    await button(dialog(page), rotate.do).click();
    await page.getByText(rotate.done).waitFor();
    expect((await onDisk(home))[0]!.slice(0, 80), 'another header').not.toBe(before!.slice(0, 80));
    await saidAndDone(page, 'And then [[say:It goes on.]]');

    const next = await startAgain();
    await button(next, text.vault.use.recovery_code).click();
    await unlock(next, code, text.vault.code.label);
    await sessions(next).first().click();
    await readable(answer(next)).toContain('It goes on.');
    const again = await startAgain();
    await unlock(again);
    await sessions(again).first().waitFor();
  });
});

describe('everything', () => {
  test('is deleted once that was typed, and a new history begins', async ({ context, parley, home, faults }) => {
    const page = await open(context, parley);
    await begin(page);
    await saidAndDone(page, 'Forget me [[say:Yes.]]');
    await choose(page, erase.title);
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole('textbox').fill('delete');
    await button(dialog(page), erase.do).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await onDisk(home)).not.toContain(undefined);
    faults.provoke(/status of 503/);
    await dialog(page).getByRole('textbox').fill(erase.confirm);
    await button(dialog(page), erase.do).click();
    await title(page, text.vault.first.title).waitFor();
    expect((await readdir(join(home.path, 'parley'))).filter(name => /history\.(db|keys)$/.test(name))).toEqual([]);
    await begin(page);
    expect(await sessions(page).count()).toBe(0);
  });
});
