export type Strength = 'short' | 'weak' | 'fair' | 'strong';

export const shortest = 8;
const bitsOfAWord = 16;

const alphabets: [RegExp, number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[ -/:-@[-`{-~]/, 33],
  [/[^ -~]/, 100],
];

/** How hard a passphrase is to guess: a hint, no proof. What repeats or follows counts for nothing, a word for little. */
export function strengthOf(passphrase: string): Strength {
  const letters = [...passphrase];
  if (letters.length < shortest) return 'short';
  const pairs = new Set(letters.slice(1).map((letter, i) => letters[i]! + letter));
  const size = alphabets.reduce((sum, [has, ofThese]) => sum + (has.test(passphrase) ? ofThese : 0), 0);
  let bits = [...pairs].filter(isFresh).length * Math.log2(size);
  if (/^[\p{L}\s]+$/u.test(passphrase)) bits = Math.min(bits, new Set(passphrase.trim().split(/\s+/)).size * bitsOfAWord);
  return bits < 48 ? 'weak' : bits < 72 ? 'fair' : 'strong';
}

/** Whether the second letter is not what anybody would try after the first. */
function isFresh(pair: string): boolean {
  const [one, other] = [...pair];
  return Math.abs(one!.codePointAt(0)! - other!.codePointAt(0)!) > 1;
}
