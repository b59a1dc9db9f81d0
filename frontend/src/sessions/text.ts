/** What is said about sessions as files. */
export const fileText = {
  export: {
    title: 'Export session',
    before: (path: string) => `Last saved as ${path}`,
    format: 'Format',
    formats: {
      canvas: ['Workflow', 'A chain of its turns, to go on with on a canvas. It is a scaffold.'],
      markdown: ['Markdown', 'To read, and to paste somewhere.'],
      html: ['Web page', 'To read in a browser. It needs no other file.'],
      jsonl: ['Messages', 'JSON lines, as useChat of the AI SDK takes them.'],
      bundle: ['Bundle', 'All branches and attachments, to be imported by another Parley.'],
    },
    making: 'Making the file…',
    clear: 'Secrets that Parley knows are not in it, and nothing else looks like one.',
    review: 'Before you give it away',
    open: 'Open on the canvas',
    save: 'Save',
    saved: (path: string) => `Saved as ${path}`,
  },
  import: {
    title: 'Import session',
    says: 'A bundle that Parley exported, or messages of useChat as JSON lines. It becomes a new session. An agent in it that is not one of yours asks before it does anything.',
    file: 'File to import',
    reading: 'Importing…',
  },
};

export type Format = keyof typeof fileText.export.formats;
