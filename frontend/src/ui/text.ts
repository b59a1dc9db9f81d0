import { vaultText } from '../vault/text.ts';
import { plural } from './plural.ts';

/** Every text of the page. */

const count = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
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

  vault: vaultText,

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
    name: (name: string, demo: boolean) => (demo ? `${name} (demo)` : name),
    more: 'More agents…',
    continues: (name: string) => `Continues with ${name} from here`,
  },
  harness: {
    title: 'Agents on this machine',
    says: 'Besides its own, Parley runs the agents that you have installed. Each works in the folder of its session.',
    looking: 'Looking for agents, and asking for their versions…',
    again: 'Look again',
    installed: 'Installed',
    others: 'Not installed',
    none: 'None of the agents that Parley knows is installed.',
    state: { ready: 'Ready', missing: 'Not installed', too_old: 'Too old', broken: 'Does not start' },
    needs: (oldest: string) => `Parley needs version ${oldest} or newer.`,
    command: 'Command',
    try: 'Try it',
    tryNamed: (name: string) => `Try it: ${name}`,
    hello: 'Say hello in one short sentence.',
    login: {
      label: (name: string) => `Account of ${name}`,
      key: (model: string) => `Use a key, with ${model}`,
      own: 'Use my login',
      only: 'Uses the login that you have there.',
    },
    abilities: 'What it can do',
    yes: 'Yes:',
    no: 'No:',
    can: {
      approvals: 'Asks before it changes something',
      tools: 'Uses tools of Parley',
      images: 'Sees pictures',
      options: 'Lets you choose modes and models',
      instructions: 'Follows the instructions of an agent',
      steering: 'Listens while it works',
      resume: 'Goes on with a session after it was ended',
    },
    how: {
      resumed: 'The agent took its own session up again.',
      retold: 'The agent was started anew, and told what was said before.',
    },
    update: 'Something that Parley does not know',
    commands: (n: number) => plural(n, 'command', 'commands'),
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
    queue: 'Send after this answer',
    queueing: 'Write what to send next',
    commands: 'Commands of the agent',
    notConnected: 'There is no connection right now. Your text stays here.',
  },
  queue: {
    title: 'Waiting messages',
    next: (n: number) => `${plural(n, 'message goes', 'messages go')} when this turn is done`,
    held: (n: number) => `${plural(n, 'message waits', 'messages wait')} until you send ${n === 1 ? 'it' : 'one'}`,
    sendNow: 'Send now',
    edit: 'Edit waiting message',
    remove: 'Remove waiting message',
    save: 'Save',
  },
  branch: {
    edit: 'Edit message',
    send: 'Save and send',
    regenerate: 'Answer again',
    fork: 'New session from here',
    title: 'Versions of this turn',
    previous: 'Previous version',
    next: 'Next version',
    place: (n: number, of: number) => `${n}/${of}`,
    says: (n: number, of: number) => `Version ${n} of ${of}`,
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
    unchanged: (bytes: number | undefined) =>
      `Nothing changed, or nothing that can be shown as text.${bytes === undefined ? '' : ` The file has ${count.format(bytes)} bytes.`}`,
    changes: (added: number, removed: number) => `${plural(added, 'line', 'lines')} added, ${count.format(removed)} removed`,
  },

  question: {
    label: ([n, of]: [number, number]) => (of > 1 ? `Question ${n} of ${of}` : 'Question'),
    place: ([n, of]: [number, number]) => `${n} of ${of}`,
    action: (action: string | undefined) =>
      ({ fs_write: 'Changes files', process: 'Runs a program', egress: 'Uses the network', os: 'Acts outside of Parley' })[action ?? ''] ?? '',
    by: (about: string, agent: string) => (about ? ` · asked by ${agent}` : `Asked by ${agent}`),
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
    composerHint: 'In the message box: Enter sends, or queues while an answer comes; Ctrl+Enter sends at once; Shift+Enter begins a line, ↑ brings back your last message, Esc stops the answer.',
  },
};
