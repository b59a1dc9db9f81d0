import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import axe from 'axe-core';
import { chromium as browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { test as base } from '../test.ts';

const artifacts = resolve(import.meta.dirname, '../../../build/artifacts');

const quiet = ['--headless=new', '--disable-gpu', '--disable-quic', '--no-first-run'];
const offline = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** What a page said, loaded or met that it should not have. A test says beforehand what it is about to provoke. */
class Faults {
  #found: string[] = [];
  #provoked: RegExp[] = [];

  /** Watches every page of the context. Chromium reports violations of the page's policy as console errors, too. */
  constructor(context: BrowserContext, own: string) {
    context.on('console', message => message.type() === 'error' && this.#found.push(`${message.text()} (${message.location().url})`));
    context.on('weberror', ({ error }) => this.#found.push(error().stack ?? error().message));
    context.on('request', request => this.#called(request.url(), own));
    context.on('page', page => page.on('websocket', socket => this.#called(socket.url().replace(/^ws/, 'http'), own)));
  }

  /** Lets pass what looks like this. */
  provoke(...faults: RegExp[]): void {
    this.#provoked.push(...faults);
  }

  get unprovoked(): string[] {
    return this.#found.filter(fault => !this.#provoked.some(provoked => provoked.test(fault)));
  }

  #called(url: string, own: string): void {
    const isOwn = new URL(url).origin === own || /^(data|blob):/.test(url);
    if (!isOwn) this.#found.push(`called ${url}`);
  }
}

/** What Chromium reports of a door that closes, that is gone, or that has another key by now. */
export const gone = /ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|WebSocket connection to|status of (401|503)/;

export const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
  .extend('chromium', { scope: 'file' }, async ({}, { onCleanup }) => {
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    const chromium = await browser.launch({ executablePath, chromiumSandbox: false, args: [...quiet, ...offline] });
    onCleanup(() => chromium.close());
    return chromium;
  })
  /** A browser of a person who has never been here. */
  .extend('visitor', async ({ chromium }, { onCleanup }) => {
    const visitor = await chromium.newContext({ viewport: { width: 1200, height: 800 }, reducedMotion: 'reduce' });
    visitor.setDefaultTimeout(15_000);
    onCleanup(() => visitor.close());
    return visitor;
  })
  .extend('faults', async ({ visitor, parley, task, onTestFinished }, { onCleanup }) => {
    const faults = new Faults(visitor, parley.door.url);
    let met: string[] = [];
    onCleanup(async () => {
      met = faults.unprovoked;
      if (met.length > 0 || task.result?.state === 'fail') await picture(visitor, task.name);
    });
    // Not in the cleanup: one that fails keeps the others from being run.
    onTestFinished(() => assert.deepEqual(met, []));
    return faults;
  })
  /** The same browser, where nothing may go wrong that the test does not provoke. */
  .extend('context', ({ visitor, faults }) => faults && visitor)
  /** Parley, open in a tab. */
  .extend('page', async ({ context, parley }) => {
    const page = await context.newPage();
    await page.goto(parley.link);
    await page.getByRole('heading', { name: text.welcome.title }).waitFor(); // there is a connection
    return page;
  });

/** Opens the link of a newer Parley in a tab of an older one. Only the fragment is new there: the page then loads itself again. */
export async function openNewer(page: Page, link: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.goto(link)]);
}

async function picture(context: BrowserContext, name: string): Promise<void> {
  for (const [i, page] of context.pages().entries()) {
    await page.screenshot({ path: resolve(artifacts, `${name.replace(/\W+/g, '-')}-${i + 1}.png`) });
  }
}

export const composer = (page: Page) => page.getByRole('textbox', { name: text.composer.label, exact: true });

export const turns = (page: Page) => page.getByRole('article');

/** The last answer, without what was asked and how it ended. */
export const answer = (page: Page) => turns(page).last().getByRole('heading', { name: text.answered, exact: true }).locator('..');

export const sendButton = (page: Page) => page.getByRole('button', { name: text.composer.send, exact: true });

export const stopButton = (page: Page) => page.getByRole('button', { name: text.composer.stop, exact: true });

/** Chooses the demo agent that asks before it changes anything, for a session that has not begun. */
export async function beCareful(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: text.agent.choose }).selectOption('demo-careful');
}

/** The questions that are open, where they are asked. */
export const questions = (page: Page) => page.getByRole('log').getByRole('group', { name: /^Question/ });

/** Types a message and sends it. */
export async function say(page: Page, words: string): Promise<void> {
  await composer(page).fill(words);
  await composer(page).press('Enter');
}

/** Says something when it can be said, and waits until its turn is over. */
export async function saidAndDone(page: Page, words: string): Promise<void> {
  await sendButton(page).waitFor();
  await say(page, words);
  await isOver(page, words);
}

/** Waits until the last turn is the one of these words, was answered, and is over. */
export async function isOver(page: Page, words: string): Promise<void> {
  const ended = page.getByRole('button', { name: text.branch.fork });
  await turns(page).last().filter({ hasText: words, has: ended }).waitFor();
  await page.locator('[role=log][aria-busy=false]').waitFor();
}

/** The messages of the session that the page shows, as they are stored. */
export async function stored(page: Page): Promise<{ id: string; role: string; parts: { type: string; text?: string }[] }[]> {
  await page.waitForURL(({ hash }) => hash.length > '#/'.length); // a new session gets its address a moment after its first message
  return page.evaluate(async () => {
    const headers = { authorization: `Bearer ${sessionStorage.getItem('parley.token')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ session_id: location.hash.slice('#/'.length) });
    return ((await (await fetch('/load-session', { method: 'POST', headers, body })).json()) as { messages: [] }).messages;
  });
}

/** The folder of the session that the page shows. */
export async function scratch(page: Page): Promise<string> {
  await page.waitForURL(({ hash }) => hash.length > '#/'.length);
  return page.evaluate(async () => {
    const headers = { authorization: `Bearer ${sessionStorage.getItem('parley.token')}` };
    return ((await (await fetch(`/sessions/${location.hash.slice('#/'.length)}`, { headers })).json()) as { scratch: string }).scratch;
  });
}

/** The files of the session that the page shows, by name. */
export async function files(page: Page): Promise<Record<string, string>> {
  const dir = await scratch(page);
  const names = await readdir(dir).catch(() => []);
  return Object.fromEntries(await Promise.all(names.map(async name => [name, await readFile(resolve(dir, name), 'utf8')])));
}

/** What a person reads there. */
export const readable = (place: Locator) => expect.poll(() => place.innerText());

/** What keeps somebody from using the page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const report = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return report.violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html.slice(0, 120)} ${node.failureSummary}`));
}
