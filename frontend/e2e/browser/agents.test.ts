import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { harnessText } from '../../src/harnesses/text.ts';
import { text } from '../../src/ui/text.ts';
import { Served } from '../program.ts';
import { answer, composer, files, isOver, questions, readable, saidAndDone, say, test as base, turns, violations } from './browser.ts';

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
  await dialog(page).getByText(harnessText.installed, { exact: true }).waitFor();
}

test.beforeEach(({ page }) => picker(page).waitFor());

describe('the agents of this machine', () => {
  test('are told with their versions, and with what to do where one cannot be used', async ({ page }) => {
    await look(page);
    await readable(row(page, 'opencode')).toMatch(new RegExp(`1\\.18\\.33\\s+${harnessText.state.ready}`));
    await readable(row(page, 'Pi')).toContain(harnessText.state.too_old);
    await readable(row(page, 'Pi')).toContain('npm install -g @earendil-works/pi-coding-agent');
    await readable(row(page, 'Kimi Code')).toContain('npm install -g @moonshot-ai/kimi-code');
    await row(page, 'opencode').getByRole('button', { name: harnessText.abilities }).click();
    await readable(row(page, 'opencode')).toContain(harnessText.can.approvals);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => composer(page).evaluate(box => box === document.activeElement)).toBe(true);
  });

  test('are looked for again when the person asks, and can be talked to then', async ({ page, programs }) => {
    await look(page);
    await symlink(resolve(import.meta.dirname, '../agent.mjs'), join(programs, 'kimi'));
    await dialog(page).getByRole('button', { name: harnessText.again }).click();
    await readable(row(page, 'Kimi Code')).toContain(harnessText.state.ready);
    await page.keyboard.press('Escape');
    await picker(page).selectOption('kimi');
  });

  test('that cannot be looked for are said to be', async ({ page, faults }) => {
    faults.provoke(/ERR_FAILED/);
    await page.route('**/harnesses', route => route.abort());
    await picker(page).selectOption({ label: text.agent.more });
    await readable(dialog(page).getByRole('alert')).toBe(text.unreachable);
    await page.unroute('**/harnesses');
    await dialog(page).getByRole('button', { name: harnessText.again }).click();
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

describe('an agent that is a program', () => {
  test('is tried with one click', async ({ page }) => {
    await look(page);
    await row(page, 'opencode').getByRole('button', { name: harnessText.tryNamed('opencode') }).click();
    await isOver(page, harnessText.hello);
    await readable(answer(page)).toContain('Said in code mode.');
    expect(await picker(page).inputValue()).toBe('opencode');
  });

  test('asks before it changes a file, and its tools have cards', async ({ page }) => {
    await picker(page).selectOption('opencode');
    await say(page, 'write a.txt');
    await readable(questions(page)).toContain('a.txt');
    expect(await files(page)).toEqual({});
    await questions(page).getByRole('button', { name: text.question.once }).click();
    await isOver(page, 'It is written.');
    expect(await files(page)).toEqual({ 'a.txt': 'one\n' });
    await turns(page).getByRole('button', { name: `${text.tool.create.done} a.txt` }).click();
    await readable(turns(page).getByRole('region', { name: text.tool.diff })).toContain('one');
    await saidAndDone(page, 'run ls -l');
    await turns(page).getByRole('button', { name: `${text.tool.other.done} ls -l` }).click();
    await readable(turns(page).last().getByRole('region', { name: text.tool.output })).toMatch(/\$ ls -l\ngreen/);
    await say(page, 'write b.txt');
    await questions(page).getByRole('button', { name: text.question.deny }).click();
    await isOver(page, 'Then not.');
    expect(await files(page)).toEqual({ 'a.txt': 'one\n' });
  });

  test('lets its mode be chosen, for the next turn and those that follow', async ({ page }) => {
    await picker(page).selectOption('opencode');
    await saidAndDone(page, 'Hello');
    const mode = page.getByRole('combobox', { name: 'Mode', exact: true });
    await mode.selectOption('plan');
    await saidAndDone(page, 'Now?');
    await readable(answer(page)).toContain('Said in plan mode.');
    await page.reload();
    await expect.poll(() => mode.inputValue()).toBe('plan');
    expect(await violations(page)).toEqual([]);
  });

  test('has its commands completed', async ({ page }) => {
    await picker(page).selectOption('opencode');
    await saidAndDone(page, 'Hello');
    await composer(page).fill('/re');
    const commands = page.getByRole('listbox', { name: text.composer.commands });
    await readable(commands).toMatch(/review[^]*recap/);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('/recap ');
    expect(await commands.count()).toBe(0);
    await composer(page).fill('/r');
    await page.keyboard.press('Escape');
    expect(await commands.count()).toBe(0);
    expect(await composer(page).inputValue()).toBe('/r');
  });

  test('that goes on for another one is told what was said, and that is said', async ({ page }) => {
    await saidAndDone(page, 'My word is heron. [[say:Noted.]]');
    await picker(page).selectOption('opencode');
    await page.getByText(text.agent.continues('opencode')).waitFor();
    await saidAndDone(page, 'recall');
    await readable(answer(page)).toMatch(/heron[^]*Noted/);
    await turns(page).getByText(text.harness.how.retold).waitFor();
  });

  test('may say what nobody knows, and it is shown as it came', async ({ page }) => {
    await picker(page).selectOption('opencode');
    await saidAndDone(page, 'strange');
    await turns(page).getByRole('button', { name: text.harness.update }).click();
    await readable(turns(page)).toContain('weather_report');
  });
});
