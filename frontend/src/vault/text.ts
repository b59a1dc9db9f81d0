import { plural } from '../ui/plural.ts';

/** What is said about the key of the history. */
export const vaultText = {
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
};
