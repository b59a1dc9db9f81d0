/** So many pieces, at most, that the whole of a long text is a short list of sections. */
export type Section = readonly string[];

/** Markdown in pieces. What is done never changes again, and its full sections stay the same objects; what is open may. */
export interface Pieces {
  readonly done: readonly Section[];
  readonly open: string;
  /** Whether the text defines what another place of it may use: the target of a link, a footnote. */
  readonly defines: boolean;
  /** The text of which these are the pieces, and where its first line that was not looked at stands. */
  readonly text: string;
  readonly place: Place;
}

const sectionLength = 20;

interface Place {
  start: number; // of the open piece
  next: number; // of the first line not looked at
  afterBlank: boolean;
  /** The column at which the content of the open list item begins; 0 if no list is open. */
  item: number;
  /** What ends a construct in which blank lines mean nothing: fenced code, some raw HTML. */
  until: RegExp | undefined;
}

const nothing: Pieces = { done: [], open: '', defines: false, text: '', place: { start: 0, next: 0, afterBlank: false, item: 0, until: undefined } };

const fence = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/;
const rawHtml: [start: RegExp, end: RegExp][] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
];
const listItem = /^( {0,3}(?:[-+*]|\d{1,9}[.)]))(?:([ \t]+)(?=\S)|[ \t]*$)/;
const rule = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const otherBlock = /^ {0,3}(?:#{1,6}(?:\s|$)|>)/;
const definition = /^ {0,3}\[[^\]]+\]:/;

/**
 * Cuts markdown that grows at its end. A cut is made before a line that follows a blank one and that continues nothing,
 * by the rules of CommonMark; so the pieces, rendered one by one, are the whole, but for definitions. `before` holds the
 * pieces of an earlier text: if this one continues it, only what is new is looked at.
 */
export function cut(text: string, before: Pieces = nothing): Pieces {
  if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
  if (!text.startsWith(before.text)) before = nothing;
  const place = { ...before.place };
  const found: string[] = [];
  let { defines } = before;
  for (let end = text.indexOf('\n', place.next); end >= 0; end = text.indexOf('\n', place.next)) {
    const line = flat(text.slice(place.next, end));
    if (begins(line, place)) {
      found.push(flat(text.slice(place.start, place.next)));
      Object.assign(place, { start: place.next, item: 0 });
    }
    defines ||= !place.until && definition.test(line);
    pass(line, place);
    place.next = end + 1;
  }
  return {
    done: found.reduce(gather, before.done),
    open: flat(text.slice(place.start)),
    defines,
    text,
    place,
  };
}

function gather(sections: readonly Section[], piece: string): readonly Section[] {
  const last = sections.at(-1);
  return last && last.length < sectionLength ? [...sections.slice(0, -1), [...last, piece]] : [...sections, [piece]];
}

/** Whether a line continues nothing of what is before it. */
function begins(line: string, { afterBlank, item, until, start, next }: Place): boolean {
  if (until || !afterBlank || isBlank(line) || start === next) return false;
  const indent = indentOf(line);
  if (item > 0) return indent < item && !listItem.test(line);
  return indent < 4; // deeper it may be one code block with what is before it
}

/** Moves a place past a line. */
function pass(line: string, place: Place): void {
  const blank = isBlank(line);
  if (place.until) {
    if (place.until.test(line)) place.until = undefined;
  } else if (!blank && !(place.item > 0 && indentOf(line) >= place.item)) {
    const item = rule.test(line) ? null : listItem.exec(line);
    place.until = endOf(line);
    if (item) place.item = contentColumn(item);
    else if (place.until || otherBlock.test(line) || rule.test(line)) place.item = 0;
  }
  place.afterBlank = blank && !place.until;
}

/** What will end the construct that a line opens, if it opens one. */
function endOf(line: string): RegExp | undefined {
  const [, ticks, tildes] = fence.exec(line) ?? [];
  if (ticks) return new RegExp(`^ {0,3}\`{${ticks.length},}[ \\t]*$`);
  if (tildes) return new RegExp(`^ {0,3}~{${tildes.length},}[ \\t]*$`);
  return rawHtml.find(([start, end]) => start.test(line) && !end.test(line))?.[1];
}

/** Where the content of a list item begins: five columns after its marker, or more, it is code that begins after one. */
function contentColumn([, marker = '', gap = '']: RegExpExecArray): number {
  const width = columns(gap, marker.length);
  return marker.length + (width >= 1 && width <= 4 ? width : 1);
}

function indentOf(line: string): number {
  return columns(/^[ \t]*/.exec(line)![0], 0);
}

/** How wide white space is that begins at a column: a tab goes to the next multiple of four. */
function columns(space: string, from: number): number {
  let column = from;
  for (const char of space) column += char === '\t' ? 4 - (column % 4) : 1;
  return column - from;
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}

/** A copy that does not keep the string alive that it was cut from: each word of an answer would keep the whole answer. */
function flat(text: string): string {
  return ` ${text}`.slice(1);
}
