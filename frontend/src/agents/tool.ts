import type { AuthorTool, AuthorToolKind, Permission, Runtime } from '../api/types.gen.ts';
import { agentsText } from './text.ts';

const said = agentsText.editor.own;

/** A name and what it stands for, as two boxes hold them. */
export interface Pair {
  name: string;
  value: string;
}

/** A tool of an agent's own as a form holds it: what is JSON is text. */
export interface OwnTool {
  kind: AuthorToolKind;
  name: string;
  description: string;
  schema: string;
  runtime: Runtime;
  code: string;
  url: string;
  method: string;
  headers: Pair[];
  secrets: Pair[];
  args: string;
  seconds: string;
  permission: Permission | '';
}

export const blankTool: OwnTool = {
  kind: 'code',
  name: '',
  description: '',
  schema: '{"type": "object", "properties": {}}',
  runtime: 'python',
  code: '',
  url: '',
  method: '',
  headers: [],
  secrets: [],
  args: '',
  seconds: '',
  permission: '',
};

export const toPairs = (of: Record<string, string> = {}): Pair[] => Object.entries(of).map(([name, value]) => ({ name, value }));

/** The pairs that have a name. */
export const fromPairs = (pairs: Pair[]): Record<string, string> => Object.fromEntries(pairs.filter(({ name }) => name).map(({ name, value }) => [name, value]));

const written = (json: unknown) => (json === undefined ? '' : JSON.stringify(json, null, 2));

export function toOwn({ input_schema, args, timeout_ms, headers, secrets, ...rest }: AuthorTool): OwnTool {
  return {
    ...blankTool,
    ...rest,
    schema: written(input_schema),
    args: written(args),
    seconds: timeout_ms ? String(timeout_ms / 1_000) : '',
    headers: toPairs(headers),
    secrets: toPairs(secrets),
  };
}

/** The tool that a form says, or why it is none. What belongs to another kind is left out; what else may be wrong the door says. */
export function fromOwn({ kind, name, description, schema, runtime, code, url, method, headers, secrets, args, seconds, permission }: OwnTool): AuthorTool | string {
  const [takes, fixed] = [parsed(schema), parsed(args || 'null')];
  if (!takes || !fixed) return said.badJSON(name, takes ? said.args : said.schema);
  if (!(Number(seconds) >= 0)) return said.badSeconds(name);
  return {
    kind,
    name: name.trim(),
    description: description.trim(),
    input_schema: takes.value,
    ...(kind === 'code' ? { runtime, code } : { url: url.trim(), ...(method && { method }), headers: fromPairs(headers) }),
    secrets: fromPairs(secrets),
    ...(args && { args: fixed.value }),
    ...(seconds && { timeout_ms: Math.round(Number(seconds) * 1_000) }),
    ...(permission && { permission }),
  };
}

function parsed(json: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}
