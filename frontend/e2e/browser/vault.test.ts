import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { answer, composer, readable, say, saidAndDone, stopButton, violations } from './browser.ts';
import { begin, button, dialog, field, fileOf, kept, open, passphrase, saveCode, shownCode, test, title, unlock } from './vault.ts';

describe('without a keychain', () => {
  test('a passphrase makes the history, and opens it the next time; a wrong one changes nothing', async ({ context, parley, startAgain, faults }) => {
    const page = await open(context, parley);
    await begin(page);
    await saidAndDone(page, 'A secret plan [[say:It is kept.]]');
    expect(await kept(page)).not.toContain(passphrase);

    const next = await startAgain();
    await title(next, text.vault.title.needs_passphrase).waitFor();
    expect(await kept(next), 'nothing of a closed history').not.toContain('secret plan');
    faults.provoke(/status of 400/);
    await unlock(next, 'something else');
    await next.getByRole('alert').waitFor();
    await expect.poll(() => field(next, text.vault.passphrase.label).inputValue()).toBe('');
    await unlock(next);
    await next.getByRole('navigation').getByRole('link', { name: /A secret plan/ }).click();
    await readable(answer(next)).toContain('It is kept.');
    expect(await kept(next)).not.toContain(passphrase);
  });

  test('a recovery code is saved by one button and a paste, and opens the history however it is typed', async ({ context, parley, startAgain, faults }) => {
    const page = await open(context, parley);
    await begin(page, { withCode: true });
    const code = await saveCode(page);
    expect(code).toMatch(/^([0-9A-Z]{5}-){12}[0-9A-Z]{5}$/);
    expect(await kept(page)).not.toContain(code.slice(0, 11));
    await saidAndDone(page, 'Found again [[say:Yes.]]');

    const next = await startAgain();
    await button(next, text.vault.use.recovery_code).click();
    faults.provoke(/status of 400/);
    const swapped = code[36] === '7' ? '8' : '7';
    await unlock(next, code.slice(0, 36) + swapped + code.slice(37), text.vault.code.label);
    await readable(next.getByRole('alert')).toMatch(/\b7\b/);
    await unlock(next, code.toLowerCase().replaceAll('-', '  '), text.vault.code.label);
    await next.getByRole('navigation').getByRole('link', { name: /Found again/ }).waitFor();
  });

  test('a code that was shown and not given back opens nothing, and a slip names the group', async ({ context, parley, startAgain, faults }) => {
    const page = await open(context, parley);
    await begin(page);
    await page.keyboard.press('Alt+k');
    await button(page, text.vault.key.save).click();
    await dialog(page).getByRole('textbox').fill('00000');
    await button(page, text.vault.code.confirm).click();
    await readable(dialog(page).getByRole('alert')).toContain('group');
    await page.keyboard.press('Escape');
    expect(await dialog(page).count(), 'Escape does not throw a code away').toBe(1);
    const code = await shownCode(page);
    await button(page, text.vault.code.discard).click();

    const next = await startAgain();
    await title(next, text.vault.title.needs_passphrase).waitFor();
    expect(await button(next, text.vault.use.recovery_code).count()).toBe(0);
    faults.provoke(/status of 400/);
    await unlock(next, code);
    await next.getByRole('alert').waitFor();
  });

  test('after the first answer a recovery code is offered, and not after Not now', async ({ context, parley }) => {
    const page = await open(context, parley);
    await begin(page);
    await saidAndDone(page, 'Hello [[say:Hi.]]');
    await page.getByText(text.vault.notice.offerBesidePassphrase).waitFor();
    await button(page, text.vault.notice.notNow).click();
    await saidAndDone(page, 'Again [[say:Hi.]]');
    expect(await page.getByText(text.vault.notice.offerBesidePassphrase).count()).toBe(0);
  });
});

describe('Lock now', () => {
  test('takes the sessions out of every tab, and keeps what was typed', async ({ context, parley, faults }) => {
    const page = await open(context, parley);
    faults.provoke(/status of 503/); // what is on its way when the history is locked is refused
    await begin(page);
    await saidAndDone(page, 'A secret plan [[say:It is kept.]]');
    const tab = await open(context, parley);
    await tab.getByRole('navigation').getByRole('link', { name: /A secret plan/ }).click();
    await readable(answer(tab)).toContain('It is kept.');
    await composer(page).fill('half a thought');
    await page.keyboard.press('Alt+k');
    await button(page, text.vault.key.lock).click();
    for (const each of [page, tab]) {
      await title(each, text.vault.title.sleeping).waitFor();
      expect(await kept(each)).not.toContain('secret plan');
    }
    await unlock(tab);
    for (const each of [page, tab]) await readable(answer(each)).toContain('It is kept.');
    await expect.poll(() => composer(page).inputValue()).toBe('half a thought');
  });

  test('waits for the turns that run', async ({ context, parley, faults }) => {
    const page = await open(context, parley);
    await begin(page);
    await say(page, 'Long [[say:Begun.]] [[hang]]');
    await readable(answer(page)).toContain('Begun.');
    faults.provoke(/status of 4\d\d/);
    await page.keyboard.press('Alt+k');
    await button(page, text.vault.key.lock).click();
    await dialog(page).getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await stopButton(page).click();
    await readable(page.getByRole('article')).toContain(text.end.stopped);
  });
});

describe('a history that cannot be read', () => {
  test('is kept beside the new one that the person starts', async ({ context, parley, home, startAgain }) => {
    const page = await open(context, parley);
    await begin(page);
    await saidAndDone(page, 'Out of reach [[say:For now.]]');
    const next = await startAgain(() => rm(fileOf(home, 'history.keys')));
    await title(next, text.vault.title.unreadable).waitFor();
    await button(next, text.vault.startNew.offer).click();
    await next.getByText(text.vault.startNew.says).waitFor();
    await button(next, text.vault.startNew.do).click();
    await begin(next);
    expect(await next.getByRole('navigation').getByRole('link', { name: /Out of reach/ }).count()).toBe(0);
    const files = await readdir(join(home.path, 'parley'), { recursive: true });
    expect(files.filter(file => file.endsWith('history.db')).length).toBe(2);
  });
});

describe.each(['light', 'dark'] as const)('in %s, everybody can use', colorScheme => {
  test('the screens before the history, and the dialog about its key', async ({ context, parley, startAgain }) => {
    const page = await open(context, parley);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 380, height: 700 });
    await title(page, text.vault.first.title).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
    await begin(page, { withCode: true });
    await dialog(page).getByRole('textbox').waitFor();
    expect(await violations(page)).toEqual([]);
    await saveCode(page);
    await page.keyboard.press('Alt+k');
    await dialog(page).waitFor();
    expect(await violations(page)).toEqual([]);

    const next = await startAgain();
    await next.emulateMedia({ colorScheme });
    await title(next, text.vault.title.needs_passphrase).waitFor();
    expect(await violations(next)).toEqual([]);
  });
});
