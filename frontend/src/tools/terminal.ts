/** A piece of a line, and how a terminal shows it. */
export interface Span {
  text: string;
  className: string;
}

// oxlint-disable-next-line no-control-regex -- that is what it is about
const sequence = /\u001b(?:\[([0-?]*)([ -/]*[@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/;
const sequences = new RegExp(sequence, 'g');

/** The colours that a program may ask for, out of ours: they are legible in light and dark. */
const colors = ['text-faint', 'text-bad', 'text-good', 'text-warn', 'text-(--code-name)', 'text-(--code-word)', 'text-accent', ''];
const backgrounds = ['bg-hover', 'bg-bad-tint', 'bg-good-tint', 'bg-warn-tint', 'bg-tint', 'bg-tint', 'bg-tint', 'bg-hover'];
const styles: Record<number, string> = { 1: 'font-semibold', 2: 'opacity-70', 3: 'italic', 4: 'underline', 7: 'bg-ink text-canvas', 9: 'line-through' };

type Look = Map<'color' | 'background' | number, string>;

/** The lines that a terminal shows of what was written to it: a line that was written over is what it is last. */
export function terminal(written: string): Span[][] {
  const look: Look = new Map();
  return written
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(line => spans(line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, ''), look));
}

/** The pieces of a line. What it says of how to go on is left in look. */
function spans(line: string, look: Look): Span[] {
  const list: Span[] = [];
  let at = 0;
  const take = (end: number) => {
    if (end > at) list.push({ text: line.slice(at, end), className: [...look.values()].filter(Boolean).join(' ') });
  };
  for (const found of line.matchAll(sequences)) {
    take(found.index);
    at = found.index + found[0].length;
    if (found[2] === 'm') apply(found[1]!, look);
  }
  take(line.length);
  return list;
}

/** Follows "select graphic rendition". */
function apply(parameters: string, look: Look): void {
  const codes = parameters.split(/[;:]/).map(Number);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    const tens = Math.floor(code / 10);
    const kind = tens === 3 || tens === 9 ? 'color' : 'background';
    if (code === 0) look.clear();
    else if (styles[code]) look.set(code, styles[code]);
    else if (code === 22) [1, 2].forEach(style => look.delete(style));
    else if (tens === 2) look.delete(code - 20);
    else if (code === 38 || code === 48) {
      const n = codes[i + 1] === 5 ? codes[i + 2]! : NaN;
      look.set(kind, (kind === 'color' ? colors : backgrounds)[n < 16 ? n % 8 : 7]!); // of very many colours there are none
      i += codes[i + 1] === 5 ? 2 : 4;
    } else if (code === 39 || code === 49) look.delete(kind);
    else if ([3, 4, 9, 10].includes(tens)) look.set(kind, (kind === 'color' ? colors : backgrounds)[code % 10]!);
  }
}
