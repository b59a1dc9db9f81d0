import { expect, test } from 'vitest';
import { follows, line, type Motion } from './follow.ts';

const scroll = (from: number, to: number, held = false): Motion => ({ kind: 'scroll', from, to, end: 1_000, held });
const key = (name: string, shift = false): Motion => ({ kind: 'key', key: name, shift });

test.each<[string, before: boolean, motions: Motion[], after: boolean]>([
  ['the slightest wheel away leaves the end', true, [{ kind: 'wheel', towardsEnd: false }], false],
  ['a finger that pulls the text down leaves the end', true, [{ kind: 'drag', towardsEnd: false }], false],
  ['PageUp leaves the end', true, [key('PageUp')], false],
  ['Home leaves the end', true, [key('Home')], false],
  ['Shift+Space leaves the end', true, [key(' ', true)], false],
  ['other keys do not', true, [key('PageDown'), key('End'), key('a')], true],
  ['a wheel towards the end stays', true, [{ kind: 'wheel', towardsEnd: true }], true],
  ['a small move away does not come back by itself', true, [{ kind: 'wheel', towardsEnd: false }, scroll(1_000, 996)], false],
  ['the end, reached by moving there, is followed', false, [{ kind: 'wheel', towardsEnd: true }, scroll(800, 1_000)], true],
  ['within a line of the end is the end', false, [scroll(800, 1_000 - line)], true],
  ['a line further away is not', false, [scroll(800, 1_000 - line - 1)], false],
  ['a move away never comes back, however near the end is', false, [scroll(999, 998)], false],
  ['the scroll bar, dragged away, leaves the end', true, [scroll(1_000, 500, true)], false],
  ['what holds the position when text above shrinks does not leave the end', true, [scroll(1_000, 900)], true],
  ['what holds the position when text above grows does not leave the end', true, [scroll(500, 900)], true],
  ['opening something leaves the end', true, [{ kind: 'unfold' }], false],
])('%s', (_, before, motions, after) => {
  expect(motions.reduce(follows, before)).toBe(after);
});
