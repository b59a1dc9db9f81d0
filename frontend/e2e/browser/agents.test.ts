import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { text } from '../../src/ui/text.ts';
import { Served } from '../program.ts';
import { composer, readable, saidAndDone, say, test as base, turns, violations } from './browser.ts';

/** A machine with a small agent that answers to a name that Parley knows, and with another one that is too old. */
const test = base
  .extend('programs', async ({ home }) => {
    const programs = join(home.path, 'bin');
    await mkdir(programs);
    await symlink(resolve(import.meta.dirname, '../agent.mjs'), join(programs, 'opencode'));
    await writeFile(join(programs, 'pi'), '#!/bin/sh\necho 0.74.2\n');
    await chmod(join(programs, 'pi'), 0o700);
    return programs;
  })
  .extend('parley', async ({ home, programs }, { onCleanup }) => {
    const parley = await Served.start(home, { PATH: `${programs}:${process.env.PATH}` });
    onCleanup(() => parley.stop());
    return parley;
  });

const picker = (page: Page) => page.getByRole('combobox', { name: text.agent.choose });
const dialog = (page: Page) => page.getByRole('dialog', { name: text.harness.title });
const row = (page: Page, name: string) => dialog(page).getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) }).first();

/** Opens the list of agents, and waits until it is known. */
async function look(page: Page): Promise<void> {
  await page.keyboard.press('Alt+g');
  await dialog(page).getByText(text.harness.installed, { exact: true }).waitFor();
}

test.beforeEach(({ page }) => picker(page).waitFor());

describe('the agents of this machine', () => {
  test('are told with their versions, and with what to do where one cannot be used', async ({ page }) => {
    await look(page);
    await readable(row(page, 'opencode')).toMatch(new RegExp(`1\\.18\\.33\\s+${text.harness.state.ready}`));
    await readable(row(page, 'Pi')).toContain(text.harness.state.too_old);
    await readable(row(page, 'Pi')).toContain('npm install -g @earendil-works/pi-coding-agent');
    await readable(row(page, 'Kimi Code')).toContain('npm install -g @moonshot-ai/kimi-code');
    await row(page, 'opencode').getByRole('button', { name: text.harness.abilities }).click();
    await readable(row(page, 'opencode')).toContain(text.harness.can.approvals);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => composer(page).evaluate(box => box === document.activeElement)).toBe(true);
  });

  test('are looked for again when the person asks, and can be talked to then', async ({ page, programs }) => {
    await look(page);
    await symlink(resolve(import.meta.dirname, '../agent.mjs'), join(programs, 'kimi'));
    await dialog(page).getByRole('button', { name: text.harness.again }).click();
    await readable(row(page, 'Kimi Code')).toContain(text.harness.state.ready);
    await page.keyboard.press('Escape');
    await picker(page).selectOption('kimi');
  });

  test('that cannot be looked for are said to be', async ({ page, faults }) => {
    faults.provoke(/ERR_FAILED/);
    await page.route('**/harnesses', route => route.abort());
    await picker(page).selectOption({ label: text.agent.more });
    await readable(dialog(page).getByRole('alert')).toBe(text.unreachable);
    await page.unroute('**/harnesses');
    await dialog(page).getByRole('button', { name: text.harness.again }).click();
    await row(page, 'opencode').waitFor();
    expect(await dialog(page).getByRole('alert').count()).toBe(0);
  });
});

test('an agent whose program is too old is refused with what to do, and nothing typed is lost', async ({ page }) => {
  await picker(page).selectOption('pi');
  await say(page, 'Hello');
  await page.getByRole('status').filter({ hasText: '0.74.2' }).waitFor();
  await readable(page.getByRole('status').filter({ hasText: '0.74.2' })).toContain('npm install -g @earendil-works/pi-coding-agent');
  expect(await composer(page).inputValue()).toBe('Hello');
});

test('another agent goes on in a session of its own, which says so', async ({ page }) => {
  await saidAndDone(page, 'First [[say:One.]]');
  await composer(page).fill('half a thought');
  await picker(page).selectOption('demo-careful');
  const handed = page.getByRole('log').getByText(text.agent.continues('Demo agent that asks'));
  await handed.waitFor();
  expect(await composer(page).inputValue(), 'what was being written is taken along').toBe('half a thought');
  await composer(page).fill('');
  await saidAndDone(page, 'Second [[say:Two.]]');
  await page.reload();
  await handed.waitFor();
  expect(await picker(page).inputValue()).toBe('demo-careful');
  expect(await turns(page).count()).toBe(2);
  await page.getByRole('navigation').getByRole('link', { name: 'First' }).last().click();
  await handed.waitFor({ state: 'detached' });
  expect(await picker(page).inputValue(), 'the one that was left stays as it was').toBe('demo');
});
