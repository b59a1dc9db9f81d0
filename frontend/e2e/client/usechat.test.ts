import { resolve } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { expect } from 'vitest';
import { readable, test as base } from '../browser/browser.ts';
import type { Door } from '../program.ts';

/** A page that has nothing of Parley's: React, useChat, DefaultChatTransport. */
const test = base.extend('script', { scope: 'file' }, async () => {
  const input = resolve(import.meta.dirname, 'page.tsx');
  const built = await build({ configFile: false, logLevel: 'silent', build: { write: false, minify: false, rolldownOptions: { input } } });
  return (built as Rolldown.RolldownOutput).output[0].code;
});

/** Opens it at the door's own address, which is the only one whose pages may call the door. */
async function open(context: BrowserContext, script: string, { url, token }: Door): Promise<Page> {
  const page = await context.newPage();
  await page.route(`${url}/test-page`, route => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body><script type="module" src="/test-page.js"></script>' }));
  await page.route(`${url}/test-page.js`, route => route.fulfill({ contentType: 'text/javascript', body: script }));
  await page.route(`${url}/favicon.ico`, route => route.fulfill({ status: 204 }));
  await page.goto(`${url}/test-page#${token}`);
  return page;
}

async function say(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(words);
  await page.keyboard.press('Enter');
}

test('useChat shows an answer while it streams, and takes turn after turn', async ({ context, parley, script }) => {
  const page = await open(context, script, parley.door);
  await say(page, '[[deltas:300]] [[gap:5ms]]');
  await readable(page.getByRole('status')).toBe('streaming');
  await expect.poll(() => page.locator('[data-role=assistant]').textContent()).toMatch(/\w/);
  expect(await page.getByRole('status').innerText(), 'it is shown before it is whole').toBe('streaming');
  await readable(page.getByRole('status')).toBe('ready');

  await say(page, '[[tool:list_directory {"path":"."}]] [[say:Done.]]');
  await readable(page.locator('[data-role=assistant]').last()).toMatch(/<tool-list_directory>.*Done\.$/);
  await expect.poll(() => page.locator('[data-role]').count()).toBe(4);
});

test('useChat says that a wrong token was refused', async ({ context, faults, parley, script }) => {
  faults.provoke(/status of 401/);
  const page = await open(context, script, { ...parley.door, token: '0'.repeat(64) });
  await say(page, 'Hello');
  await readable(page.getByRole('status')).toMatch(/token/i);
});
