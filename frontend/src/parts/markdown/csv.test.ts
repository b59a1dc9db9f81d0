import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

test.each<[string, string[][], string]>([
  ['plain values stay as they are', [['a', 'b'], ['1', '']], 'a,b\r\n1,\r\n'],
  ['a comma, a quote or a line is quoted', [['a,b', 'say "hi"', 'two\nlines']], '"a,b","say ""hi""","two\nlines"\r\n'],
  ['space at an end is kept by quotes', [[' a', 'b ']], '" a","b "\r\n'],
  ['nothing is nothing', [], ''],
])('%s', (_, rows, csv) => {
  expect(toCsv(rows)).toBe(csv);
});
