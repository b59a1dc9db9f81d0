/** A recovery code as it is compared: in any case, grouped in any way, O for 0, I and L for 1. */
function plain(typed: string): string {
  return typed
    .toUpperCase()
    .replace(/[\s\p{Dash}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
}

export function groupsOf(code: string): string[] {
  return code.split('-');
}

/**
 * Finds the first group, counted from 1, in which what a person gave back differs from the code; 0 if they have it. The
 * group that was asked for stands for all of them.
 */
export function differs(code: string, typed: string, asked: number): number {
  const groups = groupsOf(code).map(plain);
  const given = plain(typed);
  if (given === groups.join('') || given === groups[asked - 1]) return 0;
  const { length } = groups[0]!;
  if (given.length <= length) return asked;
  const wrong = groups.findIndex((each, i) => each !== given.slice(i * length, (i + 1) * length));
  return wrong < 0 ? groups.length : wrong + 1; // all are right, and something follows
}

export function isWhole(code: string, typed: string): boolean {
  return plain(code) === plain(typed);
}
