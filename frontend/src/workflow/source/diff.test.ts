import { expect, test } from 'vitest';
import { changes } from './diff.ts';

function applied(before: string, after: string): string {
  return changes(before, after).toReversed().reduce((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), before);
}

test('only what differs is changed, wherever it stands', () => {
  const before = 'edges:\n  - from: a\n    to: b\nmetadata:\n  kept: 1\nnodes:\n  - id: a\n  - id: b\n';
  expect(changes(before, before.replace('to: b', 'to: bee').replace('id: b', 'id: bee'))).toEqual([
    { from: 28, to: 28, insert: 'ee' },
    { from: 75, to: 75, insert: 'ee' },
  ]);
  expect(changes(before, before.replace('  - id: a\n', ''))).toEqual([{ from: 56, to: 66, insert: '' }]);
  expect(changes(before, before)).toEqual([]);
});

test('what was moved leaves the rest where it is', () => {
  const lines = ['one', 'two', 'three', 'four', 'five'].map(line => `${line}\n`);
  expect(changes(lines.join(''), [...lines.slice(1), lines[0]].join(''))).toEqual([
    { from: 0, to: 4, insert: '' },
    { from: 24, to: 24, insert: 'one\n' },
  ]);
});

test('of any two texts one becomes the other, also without an end of the last line', () => {
  let seed = 1;
  const dice = (sides: number) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65_521 % sides;
  const text = () => Array.from({ length: dice(12) }, () => ['a', 'b', 'bb', '', 'c d', '🙂', '🙃'][dice(7)]).join('\n');
  for (let i = 0; i < 2_000; i++) {
    const [before, after] = [text(), text()];
    expect(applied(before, after)).toBe(after);
  }
});

test('a change at both ends of a long text is found at once, and is small', () => {
  const middle = Array.from({ length: 50_000 }, (_, i) => (i % 3 ? `  line ${i}` : '  the same')).join('\n');
  const found = changes(`a\n${middle}\nb`, `A\n${middle}\nB`);
  expect(found).toEqual([
    { from: 0, to: 1, insert: 'A' },
    { from: middle.length + 3, to: middle.length + 4, insert: 'B' },
  ]);
});
