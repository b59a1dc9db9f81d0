import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { composer, saidAndDone, test, turns, violations } from './browser.ts';

const box = (page: Page) => page.getByRole('combobox', { name: text.search.label });

const options = (page: Page) => page.getByRole('listbox', { name: text.search.results }).getByRole('option');

/** The words that the page marks in its conversation. */
const marked = (page: Page) => page.evaluate(() => [...(CSS.highlights.get('search') ?? [])].map(range => (range as Range).toString()));

/** Looks for something until so much was found: what was just said takes a moment to be there. */
async function find(page: Page, words: string, hits: number): Promise<void> {
  await expect
    .poll(async () => {
      await box(page).fill('');
      await box(page).fill(words);
      await page.getByText(text.search.found(hits, false)).or(page.getByText(text.search.none)).first().waitFor();
      return options(page).count();
    })
    .toBe(hits);
}

/** Fills a session with turns through the door, which is quicker than by hand. */
async function talk(page: Page, session: string, count: number): Promise<void> {
  await page.evaluate(
    async ([id, turnCount]) => {
      const headers = { authorization: `Bearer ${sessionStorage.getItem('parley.token')}`, 'content-type': 'application/json', accept: '*/*' };
      for (let n = 0; n < turnCount; n++) {
        const said = n === 5 ? 'The heron stood in the reeds. [[say:A grey heron, then.]]' : `Turn ${n} [[say:Answer ${n}.]]`;
        const messages = [{ id: `u${n}`, role: 'user', parts: [{ type: 'text', text: said }] }];
        const body = JSON.stringify({ id, trigger: 'submit-message', messages });
        await (await fetch('/messages', { method: 'POST', headers, body })).text();
      }
    },
    [session, count] as const,
  );
}

describe('search', () => {
  test('finds as one types, opens the hit by keyboard, marks it, and Escape takes the marks away', async ({ page }) => {
    await saidAndDone(page, 'Tell me of herons. [[say:A conférence of birds met by the river.]]');
    await page.getByRole('link', { name: text.newSession }).click();
    await composer(page).waitFor();
    await page.keyboard.press('Control+k');
    expect(await box(page).evaluate(element => element === document.activeElement)).toBe(true);
    await find(page, 'nference', 3); // the title, what was asked, and the answer
    expect(await options(page).locator('mark').allInnerTexts()).toContain('conférence');
    await box(page).press('ArrowDown');
    expect(await options(page).nth(1).getAttribute('aria-selected')).toBe('true');
    await box(page).press('Enter');
    await turns(page).filter({ hasText: 'of birds' }).first().waitFor();
    await expect.poll(() => marked(page)).toContain('conférence');
    await page.getByRole('log').press('Escape');
    await expect.poll(() => marked(page)).toEqual([]);
    await box(page).press('Escape');
    await options(page).first().waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: text.sessions.title }).getByRole('link').nth(1).waitFor();
  });

  test('opens a hit far back, without what is in between, and goes on to the end from there', async ({ page }) => {
    await talk(page, 'long', 150);
    const loads: string[] = [];
    page.on('request', request => request.url().includes('/load-session') && loads.push(new URL(request.url()).search));
    await find(page, 'grey heron', 2);
    await options(page).last().click();
    const turn = turns(page).filter({ hasText: 'The heron stood' });
    await turn.waitFor();
    await expect.poll(() => turn.evaluate(element => element.getBoundingClientRect().top >= 0)).toBe(true);
    await expect.poll(() => marked(page)).toContain('grey heron');
    expect(loads.filter(search => search.includes('before') || search.includes('after')).length, loads.join(' ')).toBeLessThanOrEqual(2);
    expect(await page.getByText('Answer 60.').count()).toBe(0);

    await page.getByRole('button', { name: text.jump(0) }).click();
    await page.getByText('Answer 149.').waitFor();
    await saidAndDone(page, 'Still here? [[say:Yes.]]');
  });

  test('from a hit on, scrolling reaches the end', async ({ page }) => {
    await talk(page, 'long', 60);
    await find(page, 'grey heron', 2);
    await options(page).last().click();
    await turns(page).filter({ hasText: 'The heron stood' }).waitFor();
    const log = page.getByRole('log');
    await expect
      .poll(async () => {
        await log.evaluate(element => element.scrollBy(0, 2_000));
        return page.getByText('Answer 59.').count();
      })
      .toBeGreaterThan(0);
  });

  test('says that nothing was found', async ({ page }) => {
    await box(page).fill('qqqqq');
    await page.getByText(text.search.none).waitFor();
  });

  test('is narrowed by keyboard to who said it and when', async ({ page }) => {
    await saidAndDone(page, 'Tell me of herons. [[say:Herons stand in rivers.]]');
    await find(page, 'herons', 3);
    const by = page.getByRole('combobox', { name: text.search.by });
    await box(page).press('ArrowDown');
    await box(page).press('Tab');
    expect(await by.evaluate(element => element === document.activeElement)).toBe(true);
    await page.keyboard.type('Agent');
    await expect.poll(() => options(page).allInnerTexts()).toEqual([expect.stringContaining('Herons stand')]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => marked(page)).toContain('Herons');
    await page.getByRole('combobox', { name: text.search.when }).selectOption('1');
    await expect.poll(() => options(page).count()).toBe(1);
    await by.selectOption('tool');
    await page.getByText(text.search.none).waitFor();
  });
});

describe.each([
  { colorScheme: 'light', width: 1200 },
  { colorScheme: 'dark', width: 380 },
] as const)('in $colorScheme, $width pixels wide, everybody can use', ({ colorScheme, width }) => {
  test('what was found, and its marks', async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 700 });
    await saidAndDone(page, 'Tell me of herons. [[say:Herons stand in rivers.]]');
    await page.keyboard.press('Control+k');
    await find(page, 'herons', 3);
    expect(await violations(page)).toEqual([]);
    await options(page).nth(1).click();
    await expect.poll(() => marked(page)).toContain('herons');
    expect(await violations(page)).toEqual([]);
  });
});
