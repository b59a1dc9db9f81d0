import type { Stretch } from './outline.ts';

/** What comes in the place of a stretch. */
interface Change extends Stretch {
  insert: string;
}

/**
 * What makes one text of another, in order. It is found line by line, by the lines that both have once: what stands between
 * two changes, however long it is, is not touched.
 */
export function changes(before: string, after: string): Change[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const found: Change[] = [];
  let line = 0;
  let at = 0;
  for (const [range, by] of differences(old, { from: 0, to: old.length }, now, { from: 0, to: now.length })) {
    while (line < range.from) at += old[line++]!.length;
    found.push(trimmed(at, old.slice(range.from, range.to).join(''), now.slice(by.from, by.to).join('')));
  }
  return found;
}

/** Some lines. */
interface Lines {
  from: number;
  to: number;
}

/** Each with its end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function* differences(old: string[], { from: a, to: aEnd }: Lines, now: string[], { from: b, to: bEnd }: Lines): Generator<[Lines, Lines]> {
  while (a < aEnd && b < bEnd && old[a] === now[b]) {
    a++;
    b++;
  }
  while (a < aEnd && b < bEnd && old[aEnd - 1] === now[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  if (a === aEnd && b === bEnd) return;
  const shared = anchors(old, { from: a, to: aEnd }, now, { from: b, to: bEnd });
  if (shared.length === 0) return yield [{ from: a, to: aEnd }, { from: b, to: bEnd }];
  for (const [i, j] of [...shared, [aEnd, bEnd] as const]) {
    yield* differences(old, { from: a, to: i }, now, { from: b, to: j });
    [a, b] = [i, j];
  }
}

/** The most lines that are there once on both sides, in the same order. */
function anchors(old: string[], olds: Lines, now: string[], nows: Lines): [number, number][] {
  const before = once(old, olds);
  const after = once(now, nows);
  // Patience sorting: what ends the longest row that is known of each length, and what comes before it.
  const ends: Pair[] = [];
  for (const [line, i] of before) {
    const j = after.get(line);
    if (j === undefined) continue;
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (ends[middle]!.j < j) low = middle + 1;
      else high = middle;
    }
    ends[low] = { i, j, before: ends[low - 1] };
  }
  const row: [number, number][] = [];
  for (let pair = ends.at(-1); pair; pair = pair.before) row.push([pair.i, pair.j]);
  return row.toReversed();
}

interface Pair {
  i: number;
  j: number;
  before: Pair | undefined;
}

/** The lines that are there once, in order, and where. */
function once(lines: string[], { from, to }: Lines): Map<string, number> {
  const places = new Map<string, number>();
  const again = new Set<string>();
  for (let i = from; i < to; i++) {
    if (places.has(lines[i]!)) again.add(lines[i]!);
    else places.set(lines[i]!, i);
  }
  for (const line of again) places.delete(line);
  return places;
}

/** Without what is the same at both ends. */
function trimmed(at: number, old: string, now: string): Change {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return { from: at + start, to: at + old.length - end, insert: now.slice(start, now.length - end) };
}
