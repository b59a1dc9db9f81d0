import { plural } from '../../ui/plural.ts';

/** What is said about the file of a workflow, as a text. */
export const sourceText = {
  label: 'The workflow as YAML',
  says: 'Your text is saved as you typed it, unless you change the workflow elsewhere: then it is written in one form, without comments.',
  unread: 'This cannot be read. The canvas shows what could be read last: a change there takes the place of this text, until you undo it.',
  keys: 'Tab indents; Escape, then Tab leaves.',
  problems: (n: number) => `${plural(n, 'problem', 'problems')} — F8 goes to the next`,
  line: (n: number) => `Line ${n}`,
  /** What CodeMirror says, by its own words. */
  phrases: {
    next: 'Next',
    previous: 'Previous',
    all: 'Select all',
    'match case': 'Match case',
    regexp: 'Regular expression',
    'by word': 'Whole words',
    replace: 'Replace',
    'replace all': 'Replace all',
    close: 'Close',
  },
};
