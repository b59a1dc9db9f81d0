import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { AgentDetails } from '../../src/api/types.gen.ts';
import { text } from '../../src/ui/text.ts';
import { program, type Home, type Served } from '../program.ts';
import { isOver, questions, say, test, turns } from './browser.ts';

/** What every secret begins with, and what the page is told. */
const canary = 'c4nary/of the heron';
const marker = 'm4rker/of the heron';

/** A text as tools show it. Of base64 there are three alignments, without their ends, which hold bits of what stands around. */
const forms = (of: string) => [
  of,
  encodeURIComponent(of),
  ...['', 'x', 'xx'].map(before => Buffer.from(before + of).toString('base64').slice(4, -4)),
];

/** Shows the values of its environment, in pieces on both streams. */
const shows = `
import os, sys
from base64 import b64encode
from urllib.parse import quote
values = [v for k, v in sorted(os.environ.items()) if k.startswith("C_")]
assert len(values) == 2
text = "\\n".join(f for v in values for f in [v, quote(v, safe=""), *(b64encode((b + v).encode()).decode() for b in ("", "x", "xx"))])
for i in range(0, len(text), 13):
    for to in (sys.stdout, sys.stderr):
        to.write(text[i:i+13])
        to.flush()
`;

/** Stores a secret as a person does who has no window. */
async function keep(home: Home, slug: string, format: string, value: string): Promise<void> {
  const child = spawn(program, ['secrets', 'set', slug, '--format', format], { cwd: home.path, env: home.env(), stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(value);
  expect(await once(child, 'exit')).toEqual([0, null]);
}

/** Makes an agent whose commands, and whose own tool, are given secrets. */
async function make({ door }: Served): Promise<void> {
  const agent: AgentDetails = {
    id: 'caged',
    harness: 'scripted',
    provider: 'openai',
    model: 'any',
    system_prompt: 'Be brief.',
    tools: ['run_command'],
    command_env: { C_1: '{{secret:plain}}', C_2: '{{secret:pair.value}}' },
    author_tools: [
      {
        kind: 'code',
        name: 'script',
        description: 'Shows.',
        input_schema: { type: 'object' },
        runtime: 'python',
        code: shows,
        secrets: { C_1: '{{secret:other}}', C_2: '{{secret:couple.value}}' },
      },
    ],
    permissions: { mode: 'ask' },
  };
  const made = await fetch(`${door.url}/agents/caged`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${door.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(agent),
  });
  expect(made.ok, await made.text()).toBe(true);
}

/** Which of the words are in the memory of the browser's processes, as bytes or as UTF-16: what a core dump of them would hold. */
async function inMemory(chromium: Browser, words: string[]): Promise<string[]> {
  const session = await chromium.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  expect(processInfo.map(({ type }) => type)).toEqual(expect.arrayContaining(['browser', 'renderer']));
  const found = new Set<string>();
  for (const { id } of processInfo) {
    for await (const piece of memory(id)) {
      for (const word of words) {
        if (!found.has(word) && (['latin1', 'utf16le'] as const).some(as => piece.includes(word, 0, as))) found.add(word);
      }
    }
  }
  return words.filter(word => found.has(word));
}

/** The memory of a process, but for files that it maps and cannot write to, in pieces that overlap. */
async function* memory(id: number): AsyncGenerator<Buffer> {
  const size = 8 << 20;
  const overlap = 1024;
  const piece = Buffer.alloc(size);
  const maps = (await readFile(`/proc/${id}/maps`, 'latin1')).trim().split('\n');
  await using mem = await open(`/proc/${id}/mem`);
  for (const line of maps) {
    const [, from, to, mode, path] = /^(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line)!;
    if (!mode!.startsWith('r') || (path!.startsWith('/') && !mode!.includes('w'))) continue;
    for (let at = Number(`0x${from}`); at < Number(`0x${to}`); at += size - overlap) {
      // What is unmapped by now, or is a device's, cannot be read.
      const { bytesRead } = await mem.read(piece, 0, Math.min(size, Number(`0x${to}`) - at), at).catch(() => ({ bytesRead: 0 }));
      if (bytesRead > 0) yield piece.subarray(0, bytesRead);
    }
  }
}

/** Asks for a call, allows it, and opens its card. */
async function call(page: Page, name: string, input: object): Promise<void> {
  await say(page, `Show ${forms(marker).join(' ')} [[tool:${name} ${JSON.stringify(input)}]] [[say:Shown by ${name}.]]`);
  await questions(page).getByRole('button', { name: text.question.once }).click();
  await isOver(page, `Shown by ${name}.`);
}

/** Opens every card, which then shows what its tool wrote, with names for the values. */
async function openCards(page: Page): Promise<void> {
  const closed = turns(page).getByRole('button', { expanded: false });
  while ((await closed.count()) > 0) await closed.first().click();
  for (const slug of ['plain', 'pair', 'other', 'couple']) await turns(page).getByText(`[secret:${slug}]`).first().waitFor();
}

test('no value of a secret gets into the page or the memory of its processes, however a tool shows it', async ({ parley, home, chromium, context }) => {
  for (const slug of ['plain', 'other']) await keep(home, slug, 'text', `${canary} ${slug}`);
  for (const slug of ['pair', 'couple']) await keep(home, slug, 'json', JSON.stringify({ of: 'Parley', value: `${canary} ${slug}` }));
  await make(parley);
  const page = await context.newPage();
  await page.goto(parley.link);
  await page.getByRole('combobox', { name: text.agent.choose }).selectOption('caged');
  await call(page, 'run_command', { command: '/usr/bin/python3', args: ['-c', shows] });
  await call(page, 'script', {});
  await openCards(page);
  const before = await page.content();
  await page.reload();
  await isOver(page, 'Shown by script.');
  await openCards(page);
  const shown = before + (await page.content());
  expect([...forms(marker), ...forms(canary)].filter(form => shown.includes(form))).toEqual(forms(marker));
  expect(await inMemory(chromium, [...forms(marker), ...forms(canary)])).toEqual(forms(marker));
});
