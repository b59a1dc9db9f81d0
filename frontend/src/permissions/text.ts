import type { Mode, Scope } from '../api/types.gen.ts';
import { plural } from '../ui/plural.ts';

/** What is said about what agents may do: the modes, the inbox, and what was allowed. */
export const permissionText = {
  mode: {
    choose: 'Permissions',
    names: { ask: 'Ask', accept_edits: 'Accept edits', plan: 'Plan', auto: 'Auto', deny: 'Deny' } satisfies Record<Mode, string>,
    means: {
      ask: 'Asks before each change',
      accept_edits: 'Changes files without asking, asks before the rest',
      plan: 'Only reads: changes, commands and the network are closed to it',
      auto: 'Does everything without asking, except to protected files',
      deny: 'Does without whatever it would have to ask for',
    } satisfies Record<Mode, string>,
    kept: (mode: string) => `${mode} holds fully from the next turn on: the agent's program keeps some of the mode it began this one in. Stop it to end that now.`,
  },

  inbox: {
    title: 'Waiting for you',
    open: (n: number) => (n > 0 ? `${plural(n, 'question waits', 'questions wait')} for you` : 'Nothing waits for you'),
    badge: (n: number) => (n > 99 ? '99+' : String(n)),
    none: 'Nothing waits for you.',
    says: 'Agents that need an answer before they go on, in all your sessions.',
    asks: (what: string, agent: string) => `${what} · asked by ${agent}`,
    input: 'Asks you something',
    go: 'Show in session',
    notify: 'Notify me while Parley is not in front',
    blocked: 'Nothing shows notifications of Parley here. A browser lets you allow them in the settings of the page; a desktop needs a program that shows them.',
  },

  waits: (minutes: number) =>
    minutes < 1 ? 'just now' : minutes < 60 ? `waits for ${plural(minutes, 'minute', 'minutes')}` : minutes < 60 * 24 ? `waits for ${plural(Math.floor(minutes / 60), 'hour', 'hours')}` : `waits for ${plural(Math.floor(minutes / 60 / 24), 'day', 'days')}`,

  allow: {
    like: 'Or allow whatever matches',
    grants: 'It then gets these secrets without asking, until its definition changes.',
    secrets: (n: number) => (n === 1 ? 'Uses the secret' : 'Uses the secrets'),
    scopes: { once: 'Once', session: 'In this session', project: 'In this project', always: 'Always' } satisfies Record<Scope, string>,
  },

  permissions: {
    title: 'Permissions',
    says: 'What you have allowed for longer than once. Agents run these calls without asking, except where a mode or a rule denies them.',
    none: 'You have allowed nothing for longer than once.',
    since: (day: string) => `since ${day}`,
    revoke: 'Revoke',
    revokeOne: (pattern: string) => `Revoke ${pattern}`,
  },
};
