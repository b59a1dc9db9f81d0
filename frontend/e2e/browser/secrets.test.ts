import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { secretsText as said } from '../../src/secrets/text.ts';
import { text } from '../../src/ui/text.ts';
import { composer, isOver, readable, stored, test, violations } from './browser.ts';

const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });
const value = (page: Page) => dialog(page).getByLabel(said.form.value, { exact: true });

/** All that the page holds: what it shows, what is typed in it, and what it remembers. */
const held = (page: Page) =>
  page.evaluate(() => {
    const typed = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(box => box.value);
    return [document.documentElement.outerHTML, ...typed, JSON.stringify({ ...localStorage, ...sessionStorage }), location.href].join('\n');
  });

test('a secret is added, shown, copied, replaced and deleted, and its value does not stay in the page', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await composer(page).waitFor();
  await page.keyboard.press('Alt+s');
  await dialog(page).getByText(said.none).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Heron key');
  await value(page).fill('first-herring');
  expect(await value(page).getAttribute('type')).toBe('password');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await button(page, said.reveal('Heron key')).waitFor();
  expect(await held(page)).not.toContain('herring');

  await button(page, said.copy('Heron key')).click();
  await dialog(page).getByText(said.copied).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('first-herring');
  expect(await held(page)).not.toContain('herring');

  await button(page, said.one(said.replace, 'Heron key')).click();
  await value(page).fill('second-herring');
  await page.keyboard.press('Enter');
  await button(page, said.reveal('Heron key')).click();
  await readable(dialog(page)).toContain('second-herring');
  expect(await violations(page)).toEqual([]);
  await button(page, said.hide).click();
  expect(await held(page)).not.toContain('herring');

  await button(page, said.one(said.remove, 'Heron key')).click();
  await readable(dialog(page)).toContain(said.removing.nothing);
  await button(page, said.removing.do).click();
  await dialog(page).getByText(said.none).waitFor();
  expect(await held(page)).not.toContain('herring');
});

test('a copied secret is on the clipboard no longer than the history is open', async ({ page, context, faults }) => {
  faults.provoke(/status of 503/); // what is on its way when the history is locked is refused
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await composer(page).waitFor();
  await page.keyboard.press('Alt+s');
  await button(page, said.add).click();
  await dialog(page).getByLabel(said.form.name, { exact: true }).fill('Heron key');
  await value(page).fill('first-herring');
  await page.keyboard.press('Enter');
  await button(page, said.copy('Heron key')).click();
  await dialog(page).getByText(said.copied).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+k');
  await Promise.all([page.waitForEvent('load'), button(page, text.vault.key.lock).click()]);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('');
});

test('a token that is written is stored with one click, and what is sent has its name', async ({ page }) => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await page.route('**/secrets', async route => {
    await composer(page).press('Enter'); // while it is being stored
    await route.continue();
  });
  await composer(page).fill(`Push with ${token} [[say:Yes.]]`);
  await page.getByRole('button', { name: text.credential.store }).click();
  await expect.poll(() => composer(page).inputValue()).toBe('Push with [secret:github-token] [[say:Yes.]]');
  expect(await violations(page)).toEqual([]);
  await composer(page).press('Enter');
  await isOver(page, 'Push with [secret:github-token]');
  expect(JSON.stringify(await stored(page))).not.toContain(token);
  expect(await held(page)).not.toContain(token);
});
