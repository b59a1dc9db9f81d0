/** Every text of the page. */

const count = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const plurals = new Intl.PluralRules('en');

function plural(n: number, one: string, other: string): string {
  return `${count.format(n)} ${plurals.select(n) === 'one' ? one : other}`;
}

function seconds(n: number): string {
  return n < 60 ? `${n} s` : `${Math.floor(n / 60)} min ${n % 60} s`;
}

function duration(milliseconds: number): string {
  return milliseconds < 10_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : seconds(Math.round(milliseconds / 1_000));
}

export const text = {
  name: 'Parley',
  newSession: 'New session',
  untitled: 'Untitled',
  again: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  rename: 'Rename',
  copied: 'Copied',
  copy: (what: string) => `Copy ${what.toLowerCase()}`,
  copyAnswer: 'Copy answer as Markdown',
  copyCsv: 'Copy table as CSV',
  seconds,
  bytes: (n: number) => (n < 1_000 ? `${n} B` : `${compact.format(n)}B`),
  when: (at: number) => new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(at),
  more: (n: number) => `${count.format(n)} more`,
  members: (n: number) => plural(n, 'entry', 'entries'),
  showAll: (n: number) => `Show all ${count.format(n)} lines`,

  unreachable: 'Parley does not answer. It may be restarting; try again in a moment.',
  strangeAnswer: (status: number) => `Parley gave an answer that this page cannot read (${status}). Reload the page.`,
  loading: 'Loading the session',
  loadingEarlier: 'Loading earlier messages',
  loadFailed: 'This session could not be loaded.',
  missing: 'There is no such session. It may have been deleted.',

  broken: {
    title: 'This page stopped working',
    says: 'Nothing is lost: your sessions and what you have typed are stored. Reload the page to go on.',
    reload: 'Reload',
  },
  brokenTurn: 'This turn cannot be shown.',

  connection: {
    lost: 'Connection lost — reconnecting',
    locked: 'Parley was restarted and has a new key. Open its new link to go on.',
  },
  locked: {
    title: 'This page needs its key',
    says: 'Parley prints a link when it starts, and the key is part of that link. Open the whole link, or paste it into the address bar of this tab.',
    how: 'For a new link, run',
  },

  vault: {
    connecting: 'Connecting',
    title: {
      ready: '',
      locked: 'Your keychain is locked',
      sleeping: 'Your history is locked',
      needs_passphrase: 'Enter your passphrase',
      needs_recovery_code: 'The keychain no longer has your key',
      no_keychain: 'The keychain does not answer',
      damaged: 'Your history is damaged',
      newer_format: 'This history needs a newer Parley',
      unreadable: 'This history cannot be opened',
    },
    says: {
      locked: (keychain: string) =>
        `The key of your history is kept in ${keychain || 'the keychain of this machine'}. Parley asks for it, and waits until you have answered the dialog that appears.`,
      sleeping: 'Nobody can read your sessions until you unlock it.',
      needs_passphrase: 'It opens the sessions that are kept on this machine.',
      no_keychain:
        'It has the key of your history, which is here, and untouched. Start the keychain, or Parley in the desktop session that has it, then try again.',
      needs_recovery_code: 'Your history is here, and untouched. Enter the recovery code that you saved; the key then goes back into the keychain.',
    },
    use: {
      keychain: 'Ask the keychain again',
      passphrase: 'Use the passphrase',
      recovery_code: 'Use the recovery code',
    },
    unlock: 'Unlock',
    waiting: 'Waiting for the keychain. Its dialog may be behind this window.',

    first: {
      title: 'Choose a passphrase',
      says: 'Parley encrypts your sessions. Usually the keychain of the machine keeps the key; here none does, so a passphrase takes its place. You will be asked for it each time Parley starts.',
      why: 'Why is there no keychain?',
      done: 'Create the history',
      withCode: 'Save a recovery code right after this',
    },
    passphrase: {
      label: 'Passphrase',
      missing: 'Type the passphrase first.',
      show: 'Show what is typed',
      new: 'New passphrase',
      again: 'The same again',
      hint: 'Four or five words that do not belong together are hard to guess, and easy to remember.',
      short: (n: number) => `Use at least ${n} characters.`,
      different: 'The two are not the same. Type it again.',
      strength: { short: 'Too short', weak: 'Easy to guess', fair: 'Fair', strong: 'Strong' },
      warning: 'Nobody can reset it. If you forget it and have no recovery code, your sessions can never be read again.',
      set: 'Set passphrase',
      isSet: 'The passphrase is set.',
      isRemoved: 'The passphrase is removed.',
    },
    code: {
      label: 'Recovery code',
      missing: 'Type the recovery code first.',
      shape: '13 groups of 5 letters and digits. Spaces, dashes and lower case are fine.',
      make: 'Save a recovery code',
      says: 'It opens your history when nothing else does, here or on another machine. Keep it where you keep what you must not lose: it is shown only now.',
      replaces: 'It replaces the one you have, which then opens nothing.',
      copy: 'Copy',
      saveFile: 'Save as file',
      fileName: 'parley-recovery-code.txt',
      file: (code: string) =>
        `Recovery code of a Parley history:\n\n${code}\n\nWhoever has this code and the files of the history can read it.\n`,
      giveBack: (group: number) => `Paste it from where you saved it, or type group ${group}`,
      pending: 'Until then it opens nothing.',
      wrongGroup: (group: number) => `That is not group ${group} of this code. Look at it again.`,
      confirm: 'Use this code',
      discard: 'Discard it',
      isSet: 'The recovery code is in force.',
    },
    startNew: {
      offer: 'Start a new history instead',
      says: 'The old one is kept beside it as it is. Nothing is deleted, and whoever has its key can read it later.',
      do: 'Start a new history',
    },
    key: {
      title: 'History key',
      says: 'Your sessions are encrypted. Each of these opens them:',
      keychain: 'Keychain',
      yes: 'Set',
      none: 'None',
      save: 'Save one',
      replace: 'Replace',
      set: 'Set',
      change: 'Change',
      remove: 'Remove',
      lock: 'Lock now',
      lockAfter: 'Lock when not in use',
      lockTime: (minutes: number) => (minutes === 0 ? 'Never' : `After ${plural(minutes, 'minute', 'minutes')}`),
    },
    rotate: {
      title: 'Change the key',
      says: 'All of the history is sealed under a new key, while you go on. Who has the old one then reads nothing of it, except in copies that were made before.',
      asks: 'What opens the history now has to open it afterwards, so it is needed once more.',
      do: 'Change the key',
      done: 'The history has a new key.',
    },
    erase: {
      title: 'Delete everything',
      says: 'Every session, with its copies, its files and its key, is deleted from this machine for good. Backups that you keep elsewhere stay.',
      confirm: 'DELETE EVERYTHING',
      type: (words: string) => `To go on, type ${words}`,
      mistyped: (words: string) => `Nothing was deleted. Type ${words}, as it stands here.`,
      do: 'Delete everything',
    },
    salvage: {
      offer: 'Go on with what is left of it',
      says: 'Everything in it that is whole is put in its place, and what is missing is said. The damaged one is kept beside it as it is.',
      do: 'Salvage the history',
    },
    notice: {
      readOnly: 'This history was written by a newer Parley. You can read and search it here, but not change it. Update Parley to go on with it.',
      salvaged: (sessions: number, messages: number) =>
        sessions > 0
          ? `${plural(sessions, 'session', 'sessions')} with ${plural(messages, 'message', 'messages')} could be salvaged.`
          : 'Nothing could be salvaged; the damaged history is kept beside this new one.',
      incomplete: (titles: string[]) => `Parts are missing of: ${titles.join(', ')}.`,
      lost: (n: number) =>
        `${plural(n, 'change', 'changes')} made just before the machine lost power could not be kept. Everything before that is here.`,
      rolledBack: 'This history is older than the one that was open here last: a copy may have taken its place.',
      offer: 'Only the keychain of this machine opens your sessions. A recovery code is the spare key.',
      offerBesidePassphrase: 'Only your passphrase opens your sessions. A recovery code is the spare key.',
      notNow: 'Not now',
    },
  },

  welcome: {
    title: 'What would you like to do?',
    says: 'Parley is where you talk with agents that work on this machine.',
    demo: 'You are talking to the demo agent. It plays scripts, so it needs no model and no key; its tools are real, and work in a scratch folder of their own.',
    agent: (name: string) => `You are talking to ${name}. Its tools work in a scratch folder of this session.`,
    try: 'Things to try',
    recent: 'Recent sessions',
    demoPrompts: [
      { say: '/demo tools', about: 'List, write and read files with real tools' },
      { say: '/demo markdown', about: 'Tables, code, lists and links in one answer' },
      { say: '/demo thinking', about: 'An agent that reasons before it answers' },
      { say: 'Hello', about: 'Meet the demo agent, and connect a model' },
    ],
    prompts: [
      { say: 'What can you do here?', about: 'The tools it has, and where they work' },
      { say: 'List the files in your folder.', about: 'See a tool at work' },
      { say: 'Write a plan for my week, as a table.', about: 'Structure, to copy or to take along as CSV' },
      { say: 'Explain how DNS works, briefly.', about: 'A straight answer' },
    ],
  },

  agent: {
    choose: 'Agent',
    demo: 'Demo',
    demoMeans: 'This agent plays scripts. There is no model behind it.',
    name: (name: string, demo: boolean) => (demo ? `${name} (demo)` : name),
  },
  copyFolder: (path: string) => `Copy folder: ${path}`,
  theme: (theme: string) => `Theme: ${theme}`,

  sessions: {
    title: 'Sessions',
    none: 'No sessions yet.',
    today: 'Today',
    yesterday: 'Yesterday',
    earlier: 'Earlier',
    more: 'Show more',
    delete: 'Delete',
    deleted: (title: string) => `Deleted “${title}”`,
    draft: (draft: string) => `Draft: ${draft}`,
    running: 'Answering',
    paused: 'Waits for you',
    failed: 'The last turn failed',
    unread: 'New answer',
  },

  search: {
    label: 'Search all sessions',
    placeholder: 'Search',
    clear: 'Clear the search',
    results: 'What was found',
    found: (n: number, more: boolean) => `${plural(n, 'hit', 'hits')}${more ? ', and more' : ''}`,
    none: 'Nothing was found.',
    behind: 'The index is catching up. What is new may be missing for a moment.',
    since: (when: string) => `These words are so common that only what was said since ${when} was searched. Add a rarer one to look further.`,
    role: (role: string | undefined) => ({ user: 'You', assistant: 'Agent', tool: 'Tool', system: 'System' })[role ?? ''] ?? 'Title',
    filters: 'Narrow the search',
    by: 'Said by',
    roles: [
      ['', 'Anyone'],
      ['user', 'You'],
      ['assistant', 'Agent'],
      ['tool', 'Tools'],
    ] as const,
    when: 'Said when',
    times: [
      ['', 'Any time'],
      ['1', 'Past day'],
      ['7', 'Past week'],
      ['31', 'Past month'],
      ['366', 'Past year'],
    ] as const,
    anyAgent: 'Any agent',
    gone: 'What was found there cannot be shown any more.',
  },

  composer: {
    label: 'Message',
    placeholder: 'Write a message',
    send: 'Send',
    stop: 'Stop',
    stopping: 'Stopping',
    busy: 'Wait for the answer, or stop it. Your text stays here.',
    notConnected: 'There is no connection right now. Your text stays here.',
  },
  refusal: {
    unsent: 'Your message was not sent. It is back in the box below.',
  },

  transcript: 'Session',
  turn: (asked: string) => `Turn: ${asked.slice(0, 80)}`,
  asked: 'You said',
  answered: 'Answer',
  jump: (fresh: number) => (fresh > 0 ? `${fresh} new` : 'Jump to latest'),
  progress: { waiting: 'Waiting for the agent', working: 'Working', stopping: 'Stopping' },
  end: {
    stopped: 'Stopped',
    length: 'The answer reached the length that the model allows.',
    truncated: 'This answer was cut off.',
    resuming: 'Connection lost — resuming',
    paused: 'Waiting for you',
  },
  error: {
    title: 'The turn failed',
    retry: 'Retry',
    allowMore: (n: number) => `Allow ${n} more turns`,
  },
  meters: {
    tokens: (input: number, output: number) => `${compact.format(input)} tokens in, ${compact.format(output)} out`,
    took: duration,
  },
  said: {
    generating: 'Generating',
    done: 'Answer finished',
    stopped: 'Stopped',
    failed: (why: string) => `The turn failed: ${why}`,
    tool: (name: string) => `Running ${name}`,
    asks: (n: number, tool: string) => (n > 1 ? `Needs your answer: ${tool}, and ${n - 1} more` : `Needs your answer: ${tool}`),
  },

  reasoning: {
    live: (n: number | undefined) => `Thinking… ${seconds(n ?? 0)}`,
    done: (n: number | undefined) => (n === undefined ? 'Thought' : `Thought for ${seconds(n)}`),
  },
  plan: {
    title: 'Plan',
    status: (status: string) => status.replace('_', ' '),
  },
  sources: (n: number) => plural(n, 'source', 'sources'),
  file: (mediaType: string) => `File (${mediaType})`,
  imageNotLoaded: (alt: string) => (alt ? `image (not loaded): ${alt}` : 'image (not loaded)'),
  task: { done: 'Done', open: 'Not done' },
  table: 'Table',
  code: {
    plain: 'text',
    wrap: 'Wrap lines',
    copy: 'Copy code',
    label: (language: string | undefined) => (language ? `Code in ${language}` : 'Code'),
  },
  link: {
    title: 'Open this address?',
    address: 'Address',
    open: 'Open',
  },

  tool: {
    input: 'Input',
    output: 'Output',
    error: 'Error',
    diff: 'Changes',
    denied: (note: string | undefined) => (note ? `Denied: ${note}` : 'This call was denied.'),
    other: { asking: 'Wants to run', running: 'Running', done: 'Ran', failed: 'Could not run', denied: 'Did not run' },
    read: { asking: 'Wants to read', running: 'Reading', done: 'Read', failed: 'Could not read', denied: 'Did not read' },
    list: { asking: 'Wants to list', running: 'Listing', done: 'Listed', failed: 'Could not list', denied: 'Did not list' },
    write: { asking: 'Wants to write', running: 'Writing', done: 'Edited', failed: 'Could not write', denied: 'Did not write' },
    create: { asking: 'Wants to write', running: 'Writing', done: 'Created', failed: 'Could not write', denied: 'Did not write' },
    linesRead: (from: number, lines: number, total: number) =>
      lines === total ? plural(total, 'line', 'lines') : `lines ${from}–${from + lines - 1} of ${count.format(total)}`,
    entries: (n: number, more: boolean) => (more ? `first ${plural(n, 'entry', 'entries')}` : plural(n, 'entry', 'entries')),
    entryType: (type: string) => type,
    emptyFile: 'The file is empty.',
    emptyFolder: 'The folder is empty.',
    unchanged: (bytes: number) => `Nothing changed, or nothing that can be shown as text. The file has ${count.format(bytes)} bytes.`,
    changes: (added: number, removed: number) => `${plural(added, 'line', 'lines')} added, ${count.format(removed)} removed`,
  },

  question: {
    label: ([n, of]: [number, number]) => (of > 1 ? `Question ${n} of ${of}` : 'Question'),
    place: ([n, of]: [number, number]) => `${n} of ${of}`,
    action: (action: string | undefined) =>
      ({ fs_write: 'Changes files', process: 'Runs a program', egress: 'Uses the network', os: 'Acts outside of Parley' })[action ?? ''] ?? '',
    by: (agent: string) => `asked by ${agent}`,
    once: 'Allow once',
    session: 'Allow for this session',
    sessionMeans: (tool: string) => `In this session, ${tool} then runs without asking`,
    deny: 'Deny',
    note: 'Why not, or what to do instead',
    input: 'The agent asks you something.',
    answer: 'Your answer',
    send: 'Answer',
    allowed: 'Allowed, going on…',
    client: 'Waits for the program that asked',
    problem: (why: string) => `Your answer was not stored. ${why}`,
    waiting: (n: number) => `${plural(n, 'question waits', 'questions wait')} for you`,
    show: 'Show',
  },

  keys: {
    title: 'Keyboard shortcuts',
    new: 'New session',
    composer: 'Go to the message box',
    search: 'Search all sessions',
    sidebar: 'Show or hide sessions',
    stop: 'Stop the answer',
    question: 'Go to what waits for you',
    previous: 'Previous turn',
    next: 'Next turn',
    help: 'This list',
    composerHint: 'In the message box: Enter sends, Shift+Enter begins a line, ↑ brings back your last message, Esc stops the answer.',
  },
};
