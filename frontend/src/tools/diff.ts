export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
  old: number | undefined; // its number in the file before
  now: number | undefined; // its number in the file after
}

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a unified diff of one file. Between two hunks there is a gap. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old = 0;
  let now = 0;
  let inHunk = false;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const start = hunk.exec(line);
    const text = line.slice(1);
    if (start) {
      if (inHunk) lines.push({ kind: 'gap', text: '', old: undefined, now: undefined });
      [old, now, inHunk] = [Number(start[1]), Number(start[2]), true];
    } else if (!inHunk || line.startsWith('\\')) {
      continue; // the names of the file, or that it has no newline at its end
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text, old: undefined, now: now++ });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text, old: old++, now: undefined });
    } else {
      lines.push({ kind: 'same', text, old: old++, now: now++ });
    }
  }
  return lines;
}

/** The lines of a text that takes another's place. What both begin and end with is left out, but for a line to know it by. */
export function replacement([before, after]: [before: string, after: string]): DiffLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const lines = (kind: DiffLine['kind'], texts: string[]) => texts.map(text => ({ kind, text, old: undefined, now: undefined }));
  return [
    ...lines('same', old.slice(Math.max(0, start - 1), start)),
    ...lines('removed', old.slice(start, old.length - end)),
    ...lines('added', now.slice(start, now.length - end)),
    ...lines('same', old.slice(old.length - end, old.length - end + 1)),
  ];
}

/** How many lines a diff adds and removes. */
export function countChanges(lines: DiffLine[]): { added: number; removed: number } {
  const count = (kind: DiffLine['kind']) => lines.filter(line => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}
