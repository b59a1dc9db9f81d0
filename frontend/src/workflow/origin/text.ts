/** What is said about where a node came from. */
export const originText = {
  title: 'Where it came from',
  asked: 'Asked',
  answered: 'Answered',
  tools: 'Tools that were called',
  show: 'Show in the transcript',
  gone: 'The session is not here any more. This is what the file kept of it.',
  failed: (why: string) => `Where it came from could not be read. ${why}`,
  all: (what: string) => `All of: ${what}`,
  more: 'More',
  less: 'Less',
  back: 'Show on the canvas',
};
