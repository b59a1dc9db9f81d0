import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ParleyContext, type Parley } from '../parley.ts';
import { text } from '../ui/text.ts';
import type { Call } from './call.ts';
import { InputAndOutput } from './generic.tsx';
import { cardOf, cards } from './registry.ts';
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

/** What calls ask, and what comes of them. */
const usual: [name: string, input: unknown, output?: unknown][] = [
  ['list_directory', { path: '.' }, { path: '.', entries: [{ name: 'a', type: 'directory', size: 0 }, { name: 'b', type: 'file', size: 1 }], truncated: false }],
  ['read_file', { path: 'a' }, { path: 'a', text: 'x\n', from: 1, lines: 1, total: 2, truncated: true }],
  ['search_files', { pattern: 'x' }, { files: [{ path: 'a', lines: [{ number: 1, pieces: ['an ', 'x'] }, { number: 5, pieces: ['near'] }] }], matches: 1, truncated: false }],
  ['write_file', { path: 'a', content: 'x' }, { path: 'a', bytes: 1, created: true, diff: '@@ -0,0 +1 @@\n+x\n' }],
  ['edit_file', { path: 'a', edits: [{ old: 'x', new: 'y' }] }],
  ['run_command', { command: 'ls', args: ['-l'] }, { stdout: 'out', stderr: '', exitCode: 1, signal: 'killed', timedOut: false }],
  ['git_status', {}, { text: '## main' }],
  ['git_diff', { from: 'a', to: 'b' }, { text: 'diff --git a/f b/f\n@@ -0,0 +1 @@\n+x\n' }],
  ['git_log', { ref: 'a' }, { text: 'one' }],
  ['git_commit', { message: 'm' }, { text: 'one' }],
  ['http_request', { method: 'GET', url: 'u' }, { status: '200 OK', type: 'text/plain', headers: ['a: b'], body: '', bytes: 3 }],
  ['web_search', { query: 'q' }, { results: [{ title: 't', url: 'https://example.org', text: 's' }] }],
  ['todo_write', { items: [{ text: 'x', status: 'completed' }] }, { items: 1, done: 1 }],
  ['ask_user', { question: 'q' }, { answer: 'a' }],
  ['notify', { title: 't', body: 'b' }],
  ['mcp_files', {}, { server: 'files', tool: 'look', content: [{ type: 'image', mimeType: 'image/png', data: 'AA==' }, { type: 'resource', uri: 'u', name: 'n', text: 's', mimeType: 'm' }], structured: { a: 1 } }],
  ['mcp_undefined', { server: 'files', secrets: [] }],
  ['unknown', { a: 1 }, { b: 2 }],
];

const unexpected: unknown[] = [null, true, 7, 'constructor', [], [null], {}, { toString: 1 }];

/** A value as it is with each of its members, and itself, replaced by each of the unexpected. */
function spoilt(value: unknown): unknown[] {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const withMember = (name: string, member: unknown) => (Array.isArray(value) ? value.with(Number(name), member) : { ...(value as object), [name]: member });
  return [...unexpected, ...inside.flatMap(([name, member]) => spoilt(member).map(other => withMember(name, other)))];
}

/** All that the page shows of a call. */
function shownOf(of: Call): string {
  const { verb, target, meta, live, body } = cardOf(of);
  return renderToStaticMarkup(
    <ParleyContext value={{ host: {} } as Partial<Parley> as Parley}>
      {verb(of)} {target(of)} {meta?.(of)} {live?.(of)} {body?.(of) ?? <InputAndOutput call={of} />}
    </ParleyContext>,
  );
}

test.each(usual)('the card of a call is not broken by what it did not expect: %s', (name, input, output) => {
  const expected = call(name, input, { output });
  expect(cardOf(expected).body!(expected)).toBeDefined();
  for (const id of ['c1', 'grant_1']) {
    for (const other of spoilt(input)) shownOf({ ...expected, id, input: other });
  }
  for (const state of ['done', 'running'] as const) {
    for (const other of spoilt(output)) shownOf({ ...expected, state, output: other });
  }
});

test('each card is among those that were tried', () => {
  expect([...cards.keys()].filter(name => !usual.some(([tried]) => tried === name))).toEqual([]);
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
