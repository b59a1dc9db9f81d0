const count = new Intl.NumberFormat('en');
const plurals = new Intl.PluralRules('en');

/** So many of something. */
export function plural(n: number, one: string, other: string): string {
  return `${count.format(n)} ${plurals.select(n) === 'one' ? one : other}`;
}
