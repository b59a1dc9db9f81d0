import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { text } from '../ui/text.ts';
import type { Call } from './call.ts';
import { cardOf } from './registry.ts';
import { terminal } from './terminal.ts';

const call = (name: string, input: unknown, more: Partial<Call> = {}): Call => ({
  id: 'c1',
  name,
  state: 'done',
  input,
  output: undefined,
  error: undefined,
  note: undefined,
  ...more,
});

/** What a card says in its line. */
const line = (of: Call) => `${cardOf(of).verb(of)} ${cardOf(of).target(of)}`;

test.each([
  ['Bash', { command: 'ls -l', description: 'List' }, `${text.tool.other.done} ls -l`],
  ['exec_command', { command: ['bash', '-lc', 'ls'] }, `${text.tool.other.done} bash -lc ls`],
  ['run_command', { command: 'go', args: ['test', './...'] }, `${text.tool.other.done} go test ./...`],
  ['Shell', { cmd: 'one\ntwo' }, `${text.tool.other.done} one`],
  ['Write', { file_path: 'a.txt', content: 'x' }, `${text.tool.write.done} a.txt`],
  ['write', { filePath: 'a.txt', content: 'x' }, `${text.tool.write.done} a.txt`],
  ['Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' }, `${text.tool.write.done} a.txt`],
  ['edit', { path: 'a.txt', edits: [{ oldText: 'x', newText: 'y' }] }, `${text.tool.write.done} a.txt`],
  ['edit_file', { path: 'a.txt', edits: [{ old: 'x', new: 'y' }] }, `${text.tool.write.done} a.txt`],
  ['replace', { path: 'a.txt', oldString: 'x', newString: 'y' }, `${text.tool.write.done} a.txt`],
  ['Read', { file_path: 'a.txt' }, `${text.tool.read.done} a.txt`],
  ['read_file', { absolute_path: '/a.txt' }, `${text.tool.read.done} /a.txt`],
  ['WebFetch', { url: 'x' }, `${text.tool.other.done} WebFetch`],
  ['Bash', undefined, `${text.tool.other.done} Bash`],
  ['Bash', { command: 1 }, `${text.tool.other.done} Bash`],
  ['edit', { edits: 'none' }, `${text.tool.other.done} edit`],
])('%s of %o', (name, input, want) => {
  expect(line(call(name, input))).toBe(want);
});

test('what a program says it changed is shown as what was changed', () => {
  const output = { path: 'a.txt', bytes: 2, created: true, diff: '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n' };
  expect(line(call('patch', {}, { output }))).toBe(`${text.tool.create.done} a.txt`);
});

test('the question whether a server may be started is no call of its tool', () => {
  const input = { server: 'github', secrets: ['token'] };
  expect(line(call('mcp_github', input, { id: 'grant_1a2b_t1', state: 'asking' }))).toBe(`${text.tool.start.asking} github`);
  expect(line(call('mcp_github', input))).toBe(`${text.tool.other.done} mcp_github`);
});

test.each([
  ['mcp_github', { server: 'github', secrets: ['token'], delete: 'all' }],
  ['mcp_github', { server: 'github' }],
  ['deploy', { server: 'github', secrets: ['token'] }],
])('a call that its agent gave such an id is no question of the session, and hides nothing: %s %j', (name, input) => {
  const asked = call(name, input, { id: 'grant_1a2b_t1', state: 'asking' });
  expect(line(asked)).toBe(`${text.tool.other.asking} ${name}`);
});

test('an edit that is asked for is shown as what it would change', () => {
  const asked = call('Edit', { file_path: 'a', old_string: 'same\nold\nend', new_string: 'same\nnew\nmore\nend' }, { state: 'asking' });
  const shown = renderToStaticMarkup(cardOf(asked).body!(asked)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(shown.trim()).toBe('same − old + new + more end');
});

test.each([[[null]], [['found it']], [[{ title: { a: 1 }, url: 'u', text: 't' }]]])("another program's results of a search of that name are shown by no card: %j", results => {
  const found = call('web_search', { query: 'q' }, { output: { results } });
  expect(cardOf(found).body!(found)).toBeUndefined();
});

test('a tool that nobody knows shows how far it is', () => {
  const running = call('count', {}, { state: 'running', output: 'one\ntwo\n' });
  expect(renderToStaticMarkup(cardOf(running).live!(running))).toContain('one\ntwo');
  expect(cardOf(running).live!({ ...running, output: undefined })).toBeUndefined();
});

test('a command is shown with what it wrote, or why it could not', () => {
  for (const more of [{ output: 'out' }, { output: { stdout: 'out', stderr: '' } }, { error: 'out' }]) {
    const run = call('bash', { command: 'ls' }, more);
    expect(renderToStaticMarkup(cardOf(run).body!(run))).toContain('$ ls\nout');
  }
  const strange = call('bash', { command: 'ls' }, { output: { items: [] } });
  expect(cardOf(strange).body!(strange)).toBeUndefined();
});

/** The lines of a terminal, with the looks of their pieces before them. */
const shown = (written: string) => terminal(written).map(spans => spans.map(({ text: piece, className }) => (className ? `<${className}>${piece}` : piece)).join(''));

test('a terminal shows colours out of ours, and no line that was written over', () => {
  expect(shown('\u001b[31mred\u001b[0m\r\n10%\r100%\nlink \u001b]8;;x\u0007y\u001b]8;;\u0007\r')).toEqual(['<text-bad>red', '100%', 'link y']);
  expect(shown('\u001b[1;92mgood\n\u001b[22mstill\u001b[39m no\u001b[4munder\u001b[m end\u001b[K')).toEqual([
    '<font-semibold text-good>good',
    '<text-good>still no<underline>under end',
  ]);
  expect(shown('\u001b[38;5;196;41mx\u001b[48;2;1;2;3my\u001b[38;5;2mz')).toEqual(['<bg-bad-tint>x<bg-hover>y<text-good bg-hover>z']);
});
