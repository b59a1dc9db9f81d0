import { panelText } from './text.ts';

/** How a value is typed as text. What is refused is said in a sentence; undefined is a value that is not there. */
export interface Codec {
  show: (value: unknown) => string;
  read: (text: string) => { value: unknown } | { refused: string };
}

const said = panelText.refused;

/** Whatever it is, as text. */
const shown = (value: unknown) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));

/** A text that need not be there: an empty one is not. */
export const optionalText: Codec = { show: shown, read: text => ({ value: text || undefined }) };

/** A text that has to be there. Whoever checks the workflow says that it may not be empty. */
export const neededText: Codec = { show: shown, read: text => ({ value: text }) };

const isNumber = (text: string) => /^[-+]?(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text));

export const number: Codec = {
  show: shown,
  read: text => {
    const trimmed = text.trim();
    if (trimmed === '') return { value: undefined };
    return isNumber(trimmed) ? { value: Number(trimmed) } : { refused: said.number };
  },
};

/** A whole number. Of others the file cannot be written. */
export const whole: Codec = {
  show: shown,
  read: text => {
    const read = number.read(text);
    return 'refused' in read || read.value === undefined || Number.isSafeInteger(read.value) ? read : { refused: said.whole };
  },
};

/** What has to be there, and is not text. */
export const needed = (codec: Codec): Codec => ({ ...codec, read: text => (text.trim() === '' ? { refused: said.empty } : codec.read(text)) });

/** True or false, or neither. */
export const flag: Codec = { show: shown, read: text => ({ value: text === '' ? undefined : text === 'true' }) };

/** One entry on each line. */
export const lines: Codec = {
  show: value => (Array.isArray(value) ? value.map(shown).join('\n') : shown(value)),
  read: text => {
    const all = text.split('\n').filter(line => line.trim() !== '');
    return { value: all.length > 0 ? all : undefined };
  },
};

export const numbers: Codec = {
  show: lines.show,
  read: text => {
    const all = text.split('\n').map(line => line.trim()).filter(Boolean);
    if (!all.every(isNumber)) return { refused: said.numbers };
    return { value: all.length > 0 ? all.map(Number) : undefined };
  },
};

/** NAME=value on each line. */
export const pairs: Codec = {
  show: value => Object.entries((value ?? {}) as Record<string, string>).map(([name, text]) => `${name}=${text}`).join('\n'),
  read: text => {
    const all = text.split('\n').filter(line => line.trim() !== '');
    if (!all.every(line => line.indexOf('=') > 0)) return { refused: said.pairs };
    return { value: all.length > 0 ? Object.fromEntries(all.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])) : undefined };
  },
};

/** An object, as JSON. */
export const object: Codec = {
  show: value => (value === undefined ? '' : JSON.stringify(value, null, 2)),
  read: text => {
    if (text.trim() === '') return { value: undefined };
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { value } : { refused: said.object };
    } catch (error) {
      return { refused: said.json((error as Error).message) };
    }
  },
};
