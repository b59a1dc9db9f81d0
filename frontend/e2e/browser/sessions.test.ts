import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { fileText } from '../../src/sessions/text.ts';
import { text } from '../../src/ui/text.ts';
import { answer, composer, isOver, readable, say, saidAndDone, stopButton, test, violations } from './browser.ts';

const list = (page: Page) => page.getByRole('navigation', { name: text.sessions.title });
const row = (page: Page, title: string) => list(page).getByRole('listitem').filter({ hasText: title });

/** Begins a session of this title. */
async function begin(page: Page, title: string): Promise<void> {
  await list(page).getByRole('link', { name: text.newSession }).click();
  await page.getByRole('heading', { name: text.welcome.title }).waitFor();
  await saidAndDone(page, `${title} [[say:About ${title}.]]`);
  await row(page, title).waitFor();
}

describe('the list of sessions', () => {
  test('leads to each, and Back leads back', async ({ page }) => {
    await begin(page, 'apples');
    await begin(page, 'pears');
    await row(page, 'apples').getByRole('link').click();
    await readable(answer(page)).toContain('About apples.');
    expect(await row(page, 'apples').getByRole('link').getAttribute('aria-current')).toBe('page');
    await page.goBack();
    await readable(answer(page)).toContain('About pears.');
  });

  test('begins the next session while the first message of the last one is on its way', async ({ page }) => {
    await say(page, 'apples [[hang]]');
    await list(page).getByRole('link', { name: text.newSession }).click();
    await page.getByRole('heading', { name: text.welcome.title }).waitFor();
    await row(page, 'apples').getByRole('link').click();
    await stopButton(page).click();
    await readable(page.getByRole('article').last()).toContain(text.end.stopped);
  });

  test('renames: Enter keeps the name, Escape does not, and a reload shows it', async ({ page }) => {
    await begin(page, 'apples');
    await row(page, 'apples').getByRole('link').dblclick();
    const box = list(page).getByRole('textbox', { name: text.rename });
    await box.fill('nothing');
    await box.press('Escape');
    await row(page, 'apples').getByRole('link').focus();
    await page.keyboard.press('F2');
    await box.fill('Orchard');
    await box.press('Enter');
    await row(page, 'Orchard').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Orchard' }).waitFor();
  });

  test('deletes at once, and Undo brings it back as it was', async ({ page }) => {
    await begin(page, 'apples');
    await begin(page, 'pears');
    await row(page, 'pears').hover();
    await row(page, 'pears').getByRole('button', { name: text.sessions.delete }).click();
    await row(page, 'pears').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: text.welcome.title }).waitFor();
    await page.getByRole('button', { name: text.undo }).click();
    await row(page, 'pears').waitFor();
    await readable(answer(page)).toContain('About pears.');

    await row(page, 'apples').hover();
    await row(page, 'apples').getByRole('button', { name: text.sessions.delete }).click();
    await row(page, 'apples').waitFor({ state: 'detached' });
    await page.reload();
    await isOver(page, 'pears');
    expect(await row(page, 'apples').count()).toBe(0);
  });

  test('says which one is answering, and which has a new answer', async ({ page, context, parley }) => {
    await say(page, 'slow [[say:Begun.]] [[hang]]');
    await readable(answer(page)).toContain('Begun.');
    await row(page, 'slow').getByRole('img', { name: text.sessions.running }).waitFor();
    await begin(page, 'quick');
    const tab = await context.newPage();
    await tab.goto(parley.link);
    await row(tab, 'slow').getByRole('link').click();
    await stopButton(tab).click();
    await row(page, 'slow').getByRole('img', { name: text.sessions.unread }).waitFor();
    await row(page, 'slow').getByRole('link').click();
    await readable(answer(page)).toContain('Begun.');
    await expect.poll(() => row(page, 'slow').getByRole('img').count()).toBe(0);
  });

  test('exports a session as a file, which becomes another session', async ({ page }) => {
    await begin(page, 'apples');
    await page.keyboard.press('Alt+e');
    const dialog = page.getByRole('dialog', { name: fileText.export.title });
    await dialog.getByRole('heading', { name: fileText.export.review }).waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'apples').hover();
    await row(page, 'apples').getByRole('button', { name: text.sessions.export }).click();
    await dialog.getByRole('radio', { name: fileText.export.formats.bundle[0] }).check();
    await dialog.getByText(fileText.export.clear).waitFor();
    expect(await violations(page)).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: fileText.export.save }).click()]);
    await page.getByText(fileText.export.saved(download.suggestedFilename())).waitFor();

    await list(page).getByRole('button', { name: text.sessions.import }).click();
    await page.getByLabel(fileText.import.file).setInputFiles({ name: 'apples.jsonl', mimeType: '', buffer: await readFile(await download.path()) });
    await expect.poll(() => row(page, 'apples').count()).toBe(2);
    await readable(answer(page)).toContain('About apples.');
  });

  test('lies over the page where it is narrow, and leaves when a session was chosen', async ({ page }) => {
    await begin(page, 'apples');
    await page.setViewportSize({ width: 380, height: 700 });
    await list(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+b');
    await row(page, 'apples').getByRole('link').click();
    await list(page).waitFor({ state: 'detached' });
    await composer(page).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
  });
});
