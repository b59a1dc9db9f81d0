import { flag, lines, neededText, object, optionalText, type Codec } from './codec.ts';
import type { Offered, Option, Row, Words } from './row.ts';
import { panelText } from './text.ts';

const { unset, yes, no } = panelText;

/** One line of words. */
export const line = (words: Words, codec: Codec = optionalText): Row => ({ kind: 'line', words, codec });

/** A row that stands beside another one like it. */
export const half = (row: Row): Row => ({ ...row, isShort: true });

export const amount = (words: Words, codec: Codec): Row => half(line(words, codec));

/** One line of what programs read. */
export const code = (words: Words, codec: Codec = optionalText, offers?: readonly string[]): Row => ({ kind: 'line', words, codec, isCode: true, offers });

/** Lines of what programs read. */
export const script = (words: Words, codec: Codec = neededText): Row => ({ kind: 'long', words, codec, isCode: true });

/** A text that is filled in when a run comes to it. */
export const template = (words: Words, references: Offered, codec: Codec = optionalText): Row => ({ kind: 'long', words, codec, references });

/** Texts, one on each line. */
export const list = (words: Words, codec: Codec = lines): Row => ({ kind: 'long', words, codec, isCode: true });

/** A JSON Schema. */
export const schema = (words: Words): Row => ({ kind: 'long', words, codec: object, isCode: true, isRare: true });

/** One of a few. */
export const one = (words: Words, options: readonly Option[]): Row => ({ kind: 'choice', words, codec: neededText, options });

/** One of a few, or none. */
export const maybe = (words: Words, options: readonly Option[]): Row => ({ kind: 'choice', words, codec: optionalText, options: [['', unset], ...options] });

export const yesOrNo = (words: Words): Row => ({ kind: 'choice', words, codec: flag, options: [['', unset], ['true', yes], ['false', no]] });

/** A row that stands behind the others. */
export const rare = (row: Row): Row => ({ ...row, isRare: true });
