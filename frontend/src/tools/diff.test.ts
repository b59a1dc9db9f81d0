import { expect, test } from 'vitest';
import { countChanges, parseDiff } from './diff.ts';

const written = (diff: string) => parseDiff(diff).map(({ kind, text, old, now }) => `${old ?? '-'} ${now ?? '-'} ${kind}: ${text}`);

test('a new file is all added', () => {
  expect(written('--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\n')).toEqual(['- 1 added: one', '- 2 added: two']);
});

test('lines keep their numbers across hunks, with a gap between', () => {
  const diff = '--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n same\n-gone\n end\n@@ -10 +9,2 @@ func main()\n far\n+new\n\\ No newline at end of file\n';
  expect(written(diff)).toEqual(['1 1 same: same', '2 - removed: gone', '3 2 same: end', '- - gap: ', '10 9 same: far', '- 10 added: new']);
  expect(countChanges(parseDiff(diff))).toEqual({ added: 1, removed: 1 });
});

test('text that looks like a header is text', () => {
  expect(written('--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n---- x\n++++ y\n same\n')).toEqual(['1 - removed: --- x', '- 1 added: +++ y', '2 2 same: same']);
});

test('nothing is nothing', () => {
  expect(parseDiff('')).toEqual([]);
});
