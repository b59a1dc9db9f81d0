import { plural } from '../ui/plural.ts';

/** What is said about workflows as a whole: their list, and the page around one. */
export const workflowText = {
  title: 'Workflows',
  /** What is done to one as a whole, as Undo names it. */
  typed: 'Edit YAML',
  reload: 'Reload the file',
  restore: 'Restore unsaved work',
  discard: 'Discard unsaved work',
  reloaded: (path: string) => `${path} was changed by another program, and loaded again.`,

  list: {
    says: 'A workflow is a file that other programs can run. Parley edits it, and does not run it yet.',
    loading: 'Looking for workflows…',
    new: 'New workflow',
    files: 'Files',
    unsaved: 'Not saved yet',
    draft: 'Unsaved changes',
    nodes: (n: number) => plural(n, 'node', 'nodes'),
    problems: (n: number) => plural(n, 'problem', 'problems'),
    none: 'No workflows yet',
    how: 'Open a session, and choose Export to canvas at its top: its turns become the nodes of a workflow. Or begin with an empty one.',
    discard: (path: string) => `Discard ${path}`,
    discarded: (path: string) => `Discarded ${path}`,
  },

  workspace: {
    loading: 'Opening the workflow…',
    back: 'All workflows',
    missing: 'There is no such workflow. It may have been moved or deleted.',
    failed: 'This workflow could not be opened.',
    broken: 'This workflow could not be shown. What was not saved of it is kept.',
    unreadable: 'This file cannot be read as a workflow, so there is nothing to draw.',
    mend: 'Mend it as YAML',
    undo: (what: string | undefined) => (what ? `Undo: ${what}` : 'Nothing to undo'),
    redo: (what: string | undefined) => (what ? `Redo: ${what}` : 'Nothing to redo'),
    panel: 'Details',
    saved: 'Saved',
    changed: 'Unsaved changes',
    fresh: 'Not saved yet',
    saving: 'Saving…',
    unkept: 'Unsaved changes, on this page only',
    problems: (n: number) => (n === 0 ? 'No problems' : plural(n, 'problem', 'problems')),
  },

  save: {
    save: 'Save',
    title: 'Save the workflow',
    path: 'File, within the folder of the project',
    anyway: 'Save anyway',
    comments: 'The file has comments. What Parley writes has none, so they will be lost.',
    unreadable: 'What stands in the YAML tab cannot be read as a workflow.',
    problems: (n: number) => `${plural(n, 'problem is', 'problems are')} left. Other programs may refuse the file.`,
    unsaved: 'There is unsaved work of this name. Save or discard that first, or choose another name.',
    done: (path: string) => `Saved as ${path}`,
  },

  notice: {
    scaffold: 'This is a scaffold: the turns of the session as a chain, one node each. Review it, and save it if it is what you want. Nothing is written before.',
    restored: 'Your unsaved work was restored.',
    discard: 'Discard it',
    keep: 'Keep it',
    theirs: 'Another program has changed this file while you were editing it.',
    gone: 'The file was deleted or moved. What you see is still here, and is written again if you save it.',
    reload: 'Reload theirs',
    mine: 'Keep mine',
    copy: 'Save mine as a copy',
    unkept: (why: string) => `Your changes are still here, but could not be stored. ${why}`,
    unchecked: (why: string) => `What you changed could not be checked. ${why}`,
  },
};
