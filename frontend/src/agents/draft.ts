import type { AgentDetails, Rule } from '../api/types.gen.ts';

/** An agent as a form holds it: every field is there. */
export interface Draft extends Required<Omit<AgentDetails, 'permissions' | 'options' | 'login' | 'harness'>> {
  harness: string;
  /** Whose account a program works with. */
  isOwnLogin: boolean;
  mode: string;
  fallback: string;
  rules: Rule[];
  /** Commands that run without asking, and patterns of such. */
  commands: string[];
  globs: string[];
  /** Hosts that are reached without asking. */
  domains: string[];
  options: { name: string; value: string }[];
}

export const blank: Draft = {
  id: '',
  name: '',
  description: '',
  harness: 'native',
  provider: '',
  model: '',
  system_prompt: '',
  tools: [],
  mcp_servers: [],
  own_servers: [],
  isOwnLogin: false,
  mode: 'ask',
  fallback: '',
  rules: [],
  commands: [],
  globs: [],
  domains: [],
  options: [],
};

/** Whether a harness is a program, which has an account and options of its own. */
export const isProgram = (harness: string) => !['native', 'agenta', 'scripted'].includes(harness);

export function toDraft({ permissions, login, options, ...rest }: AgentDetails): Draft {
  return {
    ...blank,
    ...rest,
    isOwnLogin: login === 'own',
    mode: permissions.mode ?? 'ask',
    fallback: permissions.default ?? '',
    rules: permissions.rules ?? [],
    commands: permissions.allowed_commands ?? [],
    globs: permissions.allowed_command_globs ?? [],
    domains: permissions.allowed_domains ?? [],
    options: Object.entries(options ?? {}).map(([name, value]) => ({ name, value })),
  };
}

/** The agent that a form says. What its harness does not have is left out. */
export function toDetails({ isOwnLogin, mode, fallback, options, ...rest }: Draft): AgentDetails {
  const { rules, commands, globs, domains, ...fields } = rest;
  const ofProgram = isProgram(rest.harness);
  const account = ofProgram && isOwnLogin ? { login: 'own' as const, provider: '' } : {};
  return {
    ...(fields as Omit<AgentDetails, 'permissions'>),
    ...account,
    permissions: {
      mode,
      ...(fallback && { default: fallback }),
      rules: rules.filter(({ pattern }) => pattern),
      allowed_commands: commands.filter(Boolean),
      allowed_command_globs: globs.filter(Boolean),
      allowed_domains: domains.filter(Boolean),
    } as AgentDetails['permissions'],
    options: ofProgram ? Object.fromEntries(options.filter(({ name }) => name).map(({ name, value }) => [name, value])) : {},
  };
}

/** The id that goes with a name. */
export function idFor(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '');
}
