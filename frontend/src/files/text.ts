/** What is said about the files that an agent reaches. */
export const filesText = {
  title: 'Which files may the agent reach?',
  change: (chosen: string) => `Files: ${chosen}`,
  short: {
    sandboxed: (folder: string) => (folder ? `Reads ${folder}` : 'Scratch only'),
    project: (folder: string) => `Works in ${folder}`,
    full: () => 'All your files',
  },
  scope: {
    sandboxed: {
      name: 'Read the folder, write to scratch',
      says: 'It reads the folder below, if there is one. What it writes goes to a scratch folder of this session, so your files stay as they are.',
    },
    project: {
      name: 'Work in the folder',
      says: 'It reads and changes files in the folder below, and none outside of it.',
    },
    full: {
      name: 'All your files',
      says: 'It reads and changes whatever you can on this machine: your documents, settings and programs, not only what this session is about. Choose it only for an agent and a task that you would trust with that.',
    },
  },
  always: 'In each of them it asks before it writes to places like .git or the start-up files of your shell, and does not read keys and passwords such as .ssh or .env.',
  held: 'Parley’s own tools keep to this. A program that an agent runs in, such as Claude Code, has access of its own.',
  folder: 'Folder',
  folderSays: 'The whole path of the folder that this session is about.',
  noFolder: 'Say which folder it is to work in.',
  use: 'Use from the next message on',
  confirm: 'Let it reach all my files',
};
