import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { Served, type Home } from '../program.ts';
import { Keyring } from './keyring.ts';
import { answer, composer, gone, readable, say, saidAndDone, stopButton, test as base } from './browser.ts';

const passphrase = 'walnut tractor seldom ivory';

/** On a machine without a keychain, and with nobody who left a passphrase in a file. */
const unattended = { PARLEY_PASSPHRASE_FILE: '', DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' };

const test = base
  .extend('parley', async ({ home }, { onCleanup }) => {
    const parley = await Served.start(home, unattended);
    onCleanup(() => parley.stop());
    return parley;
  })
  /** Stops Parley, starts it again where it was, and opens it in a new tab. What happens meanwhile happens to its files. */
  .extend('startAgain', async ({ home, parley, context, faults }, { onCleanup }) => {
    const started: Served[] = [parley];
    onCleanup(async () => {
      for (const each of started) await each.stop();
    });
    return async (meanwhile = async () => {}, env: Record<string, string> = {}) => {
      const { host } = new URL(parley.door.url);
      faults.provoke(gone);
      for (const page of context.pages()) await page.close();
      await started.at(-1)!.stop();
      await meanwhile();
      started.push(await Served.start(home, { ...unattended, ...env }, host));
      return open(context, started.at(-1)!);
    };
  });

async function open(context: BrowserContext, parley: Served): Promise<Page> {
  const page = await context.newPage();
  await page.goto(parley.link);
  return page;
}

const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const dialog = (page: Page) => page.getByRole('dialog');

/** Meets the first screen of a machine without a keychain, and gets past it. */
async function begin(page: Page, { withCode = false } = {}): Promise<void> {
  await title(page, text.vault.first.title).waitFor();
  await field(page, text.vault.passphrase.new).fill(passphrase);
  await field(page, text.vault.passphrase.again).fill(passphrase);
  await page.getByRole('checkbox', { name: text.vault.first.withCode }).setChecked(withCode);
  await button(page, text.vault.first.done).click();
  await page.getByRole('heading', { name: text.welcome.title }).waitFor();
}

async function unlock(page: Page, by = passphrase, label = text.vault.passphrase.label): Promise<void> {
  await field(page, label).fill(by);
  await field(page, label).press('Enter');
}

/** The recovery code that the dialog shows. */
async function shownCode(page: Page): Promise<string> {
  const groups = await dialog(page).getByRole('list', { name: text.vault.code.label }).getByRole('listitem').allInnerTexts();
  return groups.map(group => group.trim().split(/\s+/).at(-1)).join('-');
}

/** Saves the recovery code that the dialog shows, and gives it. */
async function saveCode(page: Page): Promise<string> {
  const box = dialog(page).getByRole('textbox');
  await box.waitFor();
  const code = await shownCode(page);
  await box.fill(code);
  await page.getByText(text.vault.code.isSet).waitFor();
  await dialog(page).waitFor({ state: 'detached' });
  return code;
}

/** Everything in which the page could have kept something. */
async function kept(page: Page): Promise<string> {
  return page.evaluate(() => {
    const boxes = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(box => box.value);
    return JSON.stringify([boxes, { ...localStorage }, { ...sessionStorage }, location.href, document.documentElement.outerHTML]);
  });
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const report = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return report.violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html.slice(0, 120)}`));
}

const keyFile = (home: Home) => join(home.path, 'parley/history.keys');

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

describe('with a keychain', () => {
  test('nothing is asked; emptied, it has its key again from the recovery code; locked, it is waited for', async ({ home, startAgain }) => {
    await using keyring = await Keyring.start(home);
    const page = await startAgain(undefined, keyring.env);
    await page.getByRole('heading', { name: text.welcome.title }).waitFor();
    await saidAndDone(page, 'Hello [[say:Hi.]]');
    await page.getByText(text.vault.notice.offer).waitFor();
    await button(page, text.vault.code.make).click();
    const code = await saveCode(page);

    const emptied = await startAgain(() => keyring.empty(), keyring.env);
    await title(emptied, text.vault.title.needs_recovery_code).waitFor();
    await unlock(emptied, code, text.vault.code.label);
    await emptied.getByRole('navigation').getByRole('link', { name: /Hello/ }).waitFor();

    const again = await startAgain(undefined, keyring.env);
    await again.getByRole('navigation').getByRole('link', { name: /Hello/ }).waitFor();
    const locked = await startAgain(() => keyring.lock(), keyring.env);
    await title(locked, text.vault.title.locked).waitFor();
  });
});

describe('Lock now', () => {
  test('takes the sessions out of every tab, and keeps what was typed', async ({ context, parley }) => {
    const page = await open(context, parley);
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
    const next = await startAgain(() => rm(keyFile(home)));
    await title(next, text.vault.title.unreadable).waitFor();
    await button(next, text.vault.startNew.offer).click();
    await next.getByText(text.vault.startNew.says).waitFor();
    await button(next, text.vault.startNew.do).click();
    await begin(next);
    expect(await next.getByRole('navigation').getByRole('link', { name: /Out of reach/ }).count()).toBe(0);
    const files = await readdir(join(home.path, 'parley'), { recursive: true });
    expect(files.filter(file => file.endsWith('history.db')).length).toBe(2);
  });

  test('is not touched, and says what is wrong with it', async ({ context, parley, home, startAgain }) => {
    const page = await open(context, parley);
    await begin(page);
    let broken = '';
    const next = await startAgain(async () => {
      broken = (await readFile(keyFile(home), 'utf8')).slice(0, -40);
      await writeFile(keyFile(home), broken);
    });
    await title(next, text.vault.title.damaged).waitFor();
    expect(await next.getByRole('main').innerText()).toMatch(/\./);
    expect(await readFile(keyFile(home), 'utf8')).toBe(broken);
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
