import { expect, test } from 'vitest';
import type { Box, Ends } from './layout.ts';
import { next } from './next.ts';

const box = (id: string): Box => ({ id, width: 100, height: 50 });
const link = (from: string, to: string): Ends => ({ id: `${from} ${to}`, from, to });

const boxes = ['top', 'left', 'right', 'end', 'alone'].map(box);
const links = [link('top', 'left'), link('top', 'right'), link('left', 'end'), link('right', 'end')];
const at = new Map([
  ['top', { x: 90, y: 0 }],
  ['left', { x: 0, y: 100 }],
  ['right', { x: 200, y: 100 }],
  ['end', { x: 90, y: 200 }],
  ['alone', { x: 90, y: 400 }],
]);
test.each([
  ['top', 'down', 'left'], // the nearer of two
  ['left', 'right', 'right'],
  ['right', 'left', 'left'],
  ['left', 'left', undefined],
  ['end', 'up', 'left'],
  ['right', 'up', 'top'],
  ['end', 'down', 'alone'], // no edge leads there
  ['alone', 'up', 'end'],
  ['top', 'up', undefined],
  ['gone', 'up', undefined],
] as const)('from %s %s is %s', (from, direction, to) => {
  expect(next(boxes, links, { at, bends: new Map() }, from, direction)).toBe(to);
});
