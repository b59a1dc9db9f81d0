import { expect, test } from 'vitest';
import { differs, isWhole } from './code.ts';

const code = 'K7QMX-2R9TB-V0ZH1-8WNCA-5JXPE-QY3GS-T1M6K-9DRVB-HZ4W7-C0NXA-J8PEQ-3GSYT-1M6KR';

test.each([
  [code, 'as it was shown'],
  [code.toLowerCase().replaceAll('-', ' '), 'in lower case, with spaces'],
  [` ${code.replaceAll('-', '')}\n`, 'in one piece'],
  [code.replaceAll('-', '–').replace('V0ZH1', 'VoZHl'), 'with letters for digits, and dashes that a word processor made'],
])('%s is the code: %s', given => {
  expect(isWhole(code, given)).toBe(true);
  expect(differs(code, given, 5)).toBe(0);
});

test('one group stands for all, if it is the one that was asked for', () => {
  expect(differs(code, ' t1m6k ', 7)).toBe(0);
  expect(differs(code, 't1m6k', 6)).toBe(6);
  expect(isWhole(code, 't1m6k')).toBe(false);
});

test('of a whole code the first group that differs is named', () => {
  expect(differs(code, code.replace('9DRVB', '9DRVC'), 1)).toBe(8);
  expect(differs(code, code.slice(0, -1), 1)).toBe(13);
  expect(differs(code, `${code}7`, 1)).toBe(13);
  expect(differs(code, '', 4)).toBe(4);
});
