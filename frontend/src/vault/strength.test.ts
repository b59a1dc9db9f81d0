import { expect, test } from 'vitest';
import { strengthOf } from './strength.ts';

test.each([
  ['', 'short'],
  ['Xq7!zP2', 'short'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['abcdefghijklmnop', 'weak'],
  ['1234567812345678', 'weak'],
  ['asdasdasdasdasd', 'weak'],
  ['password password password', 'weak'],
  ['extraordinarily', 'weak'],
  ['correct horse battery staple', 'fair'],
  ['Xq7!zP2#m', 'fair'],
  ['walnut tractor seldom ivory pelican', 'strong'],
  ['Xq7!zP2#mV9$', 'strong'],
])('%s is %s', (passphrase, strength) => {
  expect(strengthOf(passphrase)).toBe(strength);
});
