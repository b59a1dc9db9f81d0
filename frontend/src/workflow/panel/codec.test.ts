import { describe, expect, test } from 'vitest';
import { flag, lines, needed, neededText, number, numbers, object, optionalText, pairs, whole, type Codec } from './codec.ts';

/** What each codec makes of texts; 'refused' if it refuses one. */
const read: [name: string, codec: Codec, texts: Record<string, unknown>][] = [
  ['a text that need not be there', optionalText, { '': undefined, ' a ': ' a ' }],
  ['a text that has to be there', neededText, { '': '', a: 'a' }],
  ['a number', number, { '': undefined, ' 1.5 ': 1.5, '-2e3': -2000, '.5': 0.5, '1,5': 'refused', '0x10': 'refused', Infinity: 'refused', '1e999': 'refused', '12 ms': 'refused' }],
  ['a whole number', whole, { '': undefined, 7: 7, '7.0': 7, 7.5: 'refused', '1e20': 'refused', x: 'refused' }],
  ['a whole number that has to be there', needed(whole), { '': 'refused', ' ': 'refused', 7: 7 }],
  ['true or false', flag, { '': undefined, true: true, false: false }],
  ['lines', lines, { '': undefined, '\n \n': undefined, 'a\n\n b ': ['a', ' b '] }],
  ['numbers', numbers, { '': undefined, '1\n2.5\n': [1, 2.5], '1\nx': 'refused' }],
  ['pairs', pairs, { '': undefined, 'A=1\nB=x=y\nC=': { A: '1', B: 'x=y', C: '' }, A: 'refused', '=1': 'refused' }],
  ['an object', object, { '': undefined, '{"a":[1]}': { a: [1] }, '{"a":': 'refused', '[1]': 'refused', null: 'refused', '"a"': 'refused' }],
];

describe.each(read)('%s', (_, codec, texts) => {
  test.each(Object.entries(texts))('reads %j', (text, value) => {
    const got = codec.read(text);
    expect('refused' in got ? 'refused' : got.value).toEqual(value);
  });

  test.each(Object.values(texts).flatMap(value => (value === 'refused' || value === undefined ? [] : [{ value }])))('shows $value as what it would read', ({ value }) => {
    expect(codec.read(codec.show(value))).toEqual({ value });
  });
});

test('what a file may have and a form does not know is shown, not lost', () => {
  expect(optionalText.show(5)).toBe('5');
  expect(optionalText.show({ a: 1 })).toBe('{"a":1}');
  expect(lines.show(['a', 1])).toBe('a\n1');
});
