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

/** Finds the first group, counted from 1, in which what a person gave back differs from the code; 0 if they have it. One group may stand for all. */
export function differs(code: string, typed: string, group: number): number {
  const groups = groupsOf(code).map(plain);
  const given = plain(typed);
  if (given === groups.join('') || given === groups[group - 1]) return 0;
  if (given.length <= groups[0]!.length) return group;
  let at = 0;
  return 1 + groups.findIndex(each => given.slice(at, (at += each.length)) !== each);
}

export function isWhole(code: string, typed: string): boolean {
  return plain(code) === plain(typed);
}
