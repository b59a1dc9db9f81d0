import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { text } from '../../src/ui/text.ts';
import { Served, type Home } from '../program.ts';
import { gone, test as base } from './browser.ts';

export const passphrase = 'walnut tractor seldom ivory';

/** A machine without a keychain, and with nobody who left a passphrase in a file. */
export const bare: Record<string, string> = { PARLEY_PASSPHRASE_FILE: '', DBUS_SESSION_BUS_ADDRESS: '' };

/** Tests of a history that is closed, and closed again. */
export const test = base
  .extend('machine', () => bare)
  .extend('parley', async ({ home, machine }, { onCleanup }) => {
    const parley = await Served.start(home, machine);
    onCleanup(() => parley.stop());
    return parley;
  })
  /** The history as it lay there when Parley was started again. */
  .extend('disk', () => ({ left: [] as unknown[] }))
  /** Stops Parley, starts it again where it was, and opens it in a new tab. What happens meanwhile happens to its files. */
  .extend('startAgain', async ({ home, machine, parley, context, faults, disk }, { onCleanup }) => {
    const started: Served[] = [parley];
    onCleanup(async () => {
      for (const each of started) await each.stop();
    });
    return async (meanwhile: () => Promise<unknown> = async () => {}, other: Record<string, string> = {}) => {
      const { host } = new URL(parley.door.url);
      faults.provoke(gone);
      for (const page of context.pages()) await page.close();
      await started.at(-1)!.stop();
      await meanwhile();
      disk.left = await onDisk(home);
      started.push(await Served.start(home, { ...machine, ...other }, host));
      return open(context, started.at(-1)!);
    };
  });

export async function open(context: BrowserContext, parley: Served): Promise<Page> {
  const page = await context.newPage();
  await page.goto(parley.link);
  return page;
}

export const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true });
export const button = (place: Page | Locator, name: string) => place.getByRole('button', { name, exact: true });
export const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
export const dialog = (page: Page) => page.getByRole('dialog');

/** Meets the first screen of a machine without a keychain, and gets past it. */
export async function begin(page: Page, { withCode = false } = {}): Promise<void> {
  await title(page, text.vault.first.title).waitFor();
  await field(page, text.vault.passphrase.new).fill(passphrase);
  await field(page, text.vault.passphrase.again).fill(passphrase);
  await page.getByRole('checkbox', { name: text.vault.first.withCode }).setChecked(withCode);
  await button(page, text.vault.first.done).click();
  await page.getByRole('heading', { name: text.welcome.title }).waitFor();
}

export async function unlock(page: Page, by = passphrase, label = text.vault.passphrase.label): Promise<void> {
  await field(page, label).fill(by);
  await field(page, label).press('Enter');
}

/** The recovery code that the dialog shows. */
export async function shownCode(page: Page): Promise<string> {
  const groups = await dialog(page).getByRole('list', { name: text.vault.code.label }).getByRole('listitem').allInnerTexts();
  return groups.map(group => group.trim().split(/\s+/).at(-1)).join('-');
}

/** Saves the recovery code that the dialog shows, and gives it. */
export async function saveCode(page: Page): Promise<string> {
  const box = dialog(page).getByRole('textbox');
  await box.waitFor();
  const code = await shownCode(page);
  await box.fill(code);
  await page.getByText(text.vault.code.isSet).waitFor();
  await dialog(page).waitFor({ state: 'detached' });
  return code;
}

/** Everything in which the page could have kept something. */
export async function kept(page: Page): Promise<string> {
  return page.evaluate(() => {
    const boxes = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(box => box.value);
    return JSON.stringify([boxes, { ...localStorage }, { ...sessionStorage }, location.href, document.documentElement.outerHTML]);
  });
}

const names = ['history.db', 'history.db-wal', 'history.keys'] as const;

/** A file of the history that the home has. */
export const fileOf = (home: Home, name: (typeof names)[number]) => join(home.path, 'parley', name);

/** The history as it lies on the disk. What was not touched is equal. */
export async function onDisk(home: Home): Promise<(string | undefined)[]> {
  return Promise.all(names.map(name => readFile(fileOf(home, name), 'base64').catch(() => undefined)));
}
