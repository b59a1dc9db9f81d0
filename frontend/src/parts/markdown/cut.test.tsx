import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { describe, expect, test } from 'vitest';
import { cut, type Pieces } from './cut.ts';

const pieces = ({ done, open }: Pieces) => [...done.flat(), open];

/** Random numbers that are the same in every run. */
function dice(seed: number) {
  return (sides: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * sides);
  };
}

const constructs = [
  'A paragraph.\nIts second line.\n',
  '# A heading\n',
  'Another one\n===\n',
  '## With text below\nright away\n',
  '- one\n- two\n',
  '- one\n\n- two\n\n  with a paragraph\n',
  '1. one\n\n   ```js\n   code\n\n   more\n   ```\n\n2. two\n',
  '1. one\n   - deep\n\n     deeper\n',
  '* other marker\n',
  '1) other marker\n\n   of the item\n',
  '- lazy\ncontinuation\n',
  '-     code in an item\n',
  '```\ncode\n\n# not a heading\n\n- not a list\n```\n',
  '~~~~ md\n```\n\n~~~\n\n~~~~\n',
  '  ```\n  indented fence\n\nstill code\n  ```\n',
  '    indented\n\n    code\n',
  '> quoted\n\n> quoted again\n',
  '> ```\n> code in a quote\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n',
  '<div>\n\ntext *in* html\n\n</div>\n',
  '<!-- a comment\n\nwith a blank line -->\n',
  '<pre>\n\nkept\n\n</pre>\n',
  '---\n',
  '- - -\n',
  '$$\nx^2\n$$\n',
  '- [x] done\n- [ ] not\n',
  '\tcode by a tab\n',
  'half a line',
  '\n',
  ' \t\n',
];

function document(seed: number): string {
  const roll = dice(seed);
  return Array.from({ length: 2 + roll(7) }, () => constructs[roll(constructs.length)]! + '\n'.repeat(roll(3))).join('');
}

const seeds = Array.from({ length: 2_000 }, (_, i) => i);

/** The pieces of a text that came in parts of random length. */
function arrive(text: string, roll: (sides: number) => number): Pieces {
  let at = 0;
  let result = cut('');
  while (at < text.length) {
    at = Math.min(text.length, at + 1 + roll(12));
    result = cut(text.slice(0, at), result);
  }
  return result;
}

test('the pieces are the same however the text arrives', () => {
  for (const seed of seeds) {
    const text = document(seed).replaceAll('\n', seed % 5 === 0 ? '\r\n' : '\n');
    expect(pieces(arrive(text, dice(seed + 1))), JSON.stringify(text)).toEqual(pieces(cut(text)));
  }
});

test('the pieces together are the text, and what is done stays as it is', () => {
  for (const seed of seeds) {
    const text = document(seed);
    const half = cut(text.slice(0, text.length / 2));
    const whole = cut(text, half);
    expect(pieces(whole).join('')).toBe(text);
    expect(whole.done.flat().slice(0, half.done.flat().length)).toEqual(half.done.flat());
  }
});

function render(source: string): string {
  return renderToStaticMarkup(<Markdown remarkPlugins={[remarkGfm]}>{source}</Markdown>).replaceAll('\n', '');
}

test('the pieces rendered one by one are the whole rendered at once', { timeout: 60_000 }, () => {
  for (const seed of seeds.slice(0, 600)) {
    const text = document(seed);
    expect(pieces(cut(text)).map(render).join(''), JSON.stringify(text)).toBe(render(text));
  }
});

describe('a cut', () => {
  test.each([
    ['between paragraphs', 'a\n\nb\n\nc\n', ['a\n\n', 'b\n\n', 'c\n']],
    ['after a list', '- a\n\n- b\n\nc\n', ['- a\n\n- b\n\n', 'c\n']],
    ['after code', '```\na\n\nb\n```\n\nc\n', ['```\na\n\nb\n```\n\n', 'c\n']],
    ['not in code that is open', '```\na\n\nb\n', ['```\na\n\nb\n']],
    ['not before a line that may go on', 'a\n\n-', ['a\n\n-']],
    ['not inside a list item', '- a\n\n  b\n\n  c\n', ['- a\n\n  b\n\n  c\n']],
  ])('%s', (_, text, want) => {
    expect(pieces(cut(text))).toEqual(want);
  });

  test('begins anew with a text that does not continue the last', () => {
    expect(pieces(cut('x\n\ny\n', cut('a\n\nb\n\nc\n')))).toEqual(['x\n\n', 'y\n']);
  });

  test('leaves the sections that are full as they are', () => {
    const before = cut('a\n\n'.repeat(50));
    const after = cut('a\n\n'.repeat(70), before);
    expect(after.done.map((section, i) => section === before.done[i])).toEqual([true, true, false, false]);
    expect(after.done.map(section => section.length)).toEqual([20, 20, 20, 9]);
  });

  test('says whether something is defined for elsewhere', () => {
    expect(cut('see [it]\n\n[it]: https://example.com\n').defines).toBe(true);
    expect(cut('a note[^1]\n\n[^1]: here\n').defines).toBe(true);
    expect(cut('```\n[it]: in code\n```\n').defines).toBe(false);
  });
});
