import type { AgentDetails, Rule } from '../api/types.gen.ts';
import { fromOwn, fromPairs, toOwn, toPairs, type OwnTool, type Pair } from './tool.ts';

/** An agent as a form holds it: every field is there. */
export interface Draft extends Required<Omit<AgentDetails, 'permissions' | 'options' | 'login' | 'harness' | 'author_tools' | 'command_env'>> {
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
  options: Pair[];
  own: OwnTool[];
  /** What commands are given as variables. */
  env: Pair[];
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
  own: [],
  env: [],
};

/** The tool whose commands can be given variables. */
export const runCommand = 'run_command';

/** Whether a harness is a program, which has an account and options of its own. */
export const isProgram = (harness: string) => !['native', 'agenta', 'scripted'].includes(harness);

export function toDraft({ permissions, login, options, author_tools, command_env, ...rest }: AgentDetails): Draft {
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
    options: toPairs(options),
    own: (author_tools ?? []).map(toOwn),
    env: toPairs(command_env),
  };
}

/** The agent that a form says, or why it is none. What its harness, or its tools, do not have is left out. */
export function toDetails({ isOwnLogin, mode, fallback, options, own, env, ...rest }: Draft): AgentDetails | string[] {
  const { rules, commands, globs, domains, ...fields } = rest;
  const ofProgram = isProgram(rest.harness);
  const tools = own.map(fromOwn);
  const problems = tools.filter(tool => typeof tool === 'string');
  if (problems.length > 0) return problems;
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
    author_tools: tools as AgentDetails['author_tools'],
    command_env: rest.tools.includes(runCommand) ? fromPairs(env) : {},
    options: ofProgram ? fromPairs(options) : {},
  };
}
