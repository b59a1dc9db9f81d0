import { plural } from '../ui/plural.ts';

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
  folder: 'Folder',
  folderSays: 'The whole path of the folder that this session is about.',
  noFolder: 'Say which folder it is to work in.',
  use: 'Use from the next message on',
  confirm: 'Let it reach all my files',
};

/** What is said about what a run wrote to files. */
export const changesText = {
  title: (n: number) => `Changed ${plural(n, 'file', 'files')}`,
  reverted: 'Reverted',
  made: (path: string) => `What changed in ${path}`,
  noText: 'This change cannot be shown as text.',
  revert: 'Revert',
  revertFile: (path: string) => `Revert ${path}`,
  revertAll: 'Revert all',
  undo: 'Undo revert',
  undoFile: (path: string) => `Undo the revert of ${path}`,
  undoAll: 'Undo all reverts',
  preview: { revert: 'Reverting does this', undo: 'Undoing the revert does this' },
  nothing: 'Nothing would change.',
  conflicts: (n: number) => `You have changed ${n > 1 ? `${n} of these places` : 'this place'} since. What is yours stays:`,
  whole: 'This file was changed, moved or removed since, so it stays as it is.',
  line: (n: number) => `Line ${n}`,
  mine: 'Stays',
  back: 'Was to come back',
};

/** What is said about who sees to it. */
export const heldText = {
  held: 'Unless it is all your files, the system of this machine holds it for everything that the agent starts, programs such as Claude Code included: they reach no other files of yours, none of your other programs, and on the network only their model and what you allow.',
  lacks: (what: string) => `Not held: ${what}.`,
  nothing: (why: string) => `Only Parley’s own tools keep to this. A program that an agent runs in, such as Claude Code, has access of its own: ${why}.`,
};
