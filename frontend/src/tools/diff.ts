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

/** How many lines a diff adds and removes. */
export function countChanges(lines: DiffLine[]): { added: number; removed: number } {
  const count = (kind: DiffLine['kind']) => lines.filter(line => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}
