// @vitest-environment node
//
// Another reader of the format, which knows nothing of Parley: schema 1.0 as the table of its fields says it, by a YAML library
// of somebody else. It reads all that Parley exports and writes, and refuses what Parley refuses.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const kebab = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const name = z.string().regex(/^[A-Za-z0-9_-]+$/);
const word = z.string().min(1);
const positive = z.int().min(1);
const natural = z.int().min(0);
const free = z.record(z.string(), z.unknown());
const provider = z.enum(['anthropic', 'openai', 'gemini', 'deepseek']);
const retry = z.strictObject({
  max: positive,
  backoff: z.enum(['linear', 'exponential']),
  backoff_ms: positive.optional(),
  retry_on: z.array(z.enum(['provider_rate_limit', 'provider_unavailable', 'tool_failed', 'sandbox_error'])).min(1).optional(),
});

const trigger = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal(['manual', 'mcp_call']) }),
  z.strictObject({ type: z.literal('webhook'), webhook: z.strictObject({ path: word, secret_env: word }) }),
  z.strictObject({ type: z.literal('schedule'), schedule: word }),
  z.strictObject({ type: z.literal('file_change'), file_change: z.strictObject({ glob: word, debounce_ms: natural }) }),
]);

const given = { name, required: z.boolean().optional(), default: z.unknown().optional(), description: z.string().optional() };
const ordered = (low?: number, high?: number) => low === undefined || high === undefined || low <= high;
const input = z.discriminatedUnion('type', [
  z.strictObject({
    ...given,
    type: z.literal('number'),
    validation: z.strictObject({ min: z.number().optional(), max: z.number().optional(), enum: z.array(z.unknown()).optional() }).refine(v => ordered(v.min, v.max)).optional(),
  }),
  z.strictObject({ ...given, type: z.literal('boolean'), validation: z.strictObject({}).optional() }),
  z.strictObject({
    ...given,
    type: z.literal(['string', 'file_path', 'code_diff', 'secret']),
    validation: z
      .strictObject({ format: word.optional(), pattern: word.optional(), enum: z.array(z.unknown()).optional(), min_length: natural.optional(), max_length: natural.optional() })
      .refine(v => ordered(v.min_length, v.max_length))
      .optional(),
  }),
]);

const reached = (schemes: RegExp) => z.strictObject({
  id: kebab,
  transport: z.string(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.url({ protocol: schemes }).regex(/^\w+:\/\/[^/@]+(\/|$)/),
  allow_local_endpoint: z.boolean().optional(),
  tools_allowlist: z.array(word).optional(),
});
const server = z.union([
  z.strictObject({ ref: word, tools_allowlist: z.array(word).optional() }),
  z.strictObject({
    id: kebab,
    transport: z.literal('stdio'),
    command: word,
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    tools_allowlist: z.array(word).optional(),
  }),
  reached(/^https?$/).extend({ transport: z.literal(['http', 'sse']) }),
  reached(/^wss?$/).extend({ transport: z.literal('websocket') }),
]);

const agent = z.union([
  z.strictObject({ $ref: word }),
  z.strictObject({
    id: kebab,
    name: z.string().optional(),
    description: z.string().optional(),
    model: word,
    provider,
    system_prompt: word,
    temperature: z.number().min(0).max(2).optional(),
    max_tokens: positive.optional(),
    reasoning_effort: z.enum(['off', 'low', 'medium', 'high', 'max']).optional(),
    input_schema: free.optional(),
    output_schema: free.optional(),
    tools: z.array(word).optional(),
    mcp_servers: z.array(server).refine(all => unique(all.map(each => ('ref' in each ? each.ref : each.id)))).optional(),
    memory: z.union([z.strictObject({ type: z.literal(['none', 'summary']) }), z.strictObject({ type: z.literal('window'), window_size: positive })]).optional(),
    retry: retry.optional(),
    fallback_chain: z.array(z.strictObject({ model: word, provider, max_attempts: positive })).optional(),
  }),
]);

const js = z.literal('js').optional();
const id = kebab;
const node = z.discriminatedUnion('type', [
  z.strictObject({ id, type: z.literal('input'), label: z.string().optional() }),
  z.strictObject({
    id,
    type: z.literal('agent'),
    agent_ref: kebab,
    system_prompt_append: z.string().optional(),
    prompt_template: z.string().optional(),
    tools: z.array(word).optional(),
    model: word.optional(),
    temperature: z.number().min(0).max(2).optional(),
    max_tokens: positive.optional(),
    output_schema: free.optional(),
    output_modalities: z.array(z.enum(['text', 'image', 'audio', 'video'])).min(1).optional(),
    count: positive.optional(),
    duration_seconds: z.number().gt(0).optional(),
    timeout_ms: positive.optional(),
    retry: retry.optional(),
  }),
  z.strictObject({
    id,
    type: z.literal('human_gate'),
    gate_type: z.enum(['approval', 'input', 'review']),
    assignee: z.string().optional(),
    message_template: z.string().optional(),
    timeout_ms: positive.optional(),
    timeout_action: z.enum(['reject', 'approve']).optional(),
  }),
  z.strictObject({
    id,
    type: z.literal('condition'),
    expression: word,
    expression_type: js,
    branches: z.array(z.strictObject({ when: z.union([z.boolean(), z.string(), z.number()]), target_node: kebab })).min(1),
    default: kebab.optional(),
    retry: retry.optional(),
  }),
  z.strictObject({ id, type: z.literal('transform'), transform: word, expression_type: js, output_schema: free.optional(), retry: retry.optional() }),
  z.strictObject({ id, type: z.literal('parallel'), parallel_of: z.array(kebab).min(1) }),
  z
    .strictObject({ id, type: z.literal('merge'), merge_strategy: z.enum(['concat', 'object_merge', 'first', 'custom']), merge_fn: z.string().optional(), retry: retry.optional() })
    .refine(merge => merge.merge_strategy !== 'custom' || merge.merge_fn),
  z.strictObject({
    id,
    type: z.literal('output'),
    output_format: z.string().optional(),
    save_to: word.regex(/^(?![/\\]|[A-Za-z]:)(?!(.*[/\\])?\.\.([/\\]|$))((?!\{\{).|\{\{\s*run\.id\s*\}\})*$/).optional(),
  }),
]);

const strings = z.array(word).optional();
const workflow = z.strictObject({
  id: kebab,
  version: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  metadata: free.optional(),
  trigger: trigger.optional(),
  inputs: z.array(input).refine(all => unique(all.map(each => each.name))).optional(),
  context: z.array(z.strictObject({ key: name, value: z.string() })).refine(all => unique(all.map(each => each.key))).optional(),
  agents: z.array(agent).refine(all => unique(all.flatMap(each => ('id' in each ? each.id : [])))).optional(),
  tools: z.strictObject({ allowedCommands: strings, allowedCommandGlobs: strings, allowedDomains: strings }).optional(),
  budget: z.strictObject({ max_cost_microcents: positive, on_exceed: z.enum(['fail', 'pause_for_approval', 'warn']), strict_cost_cap: z.boolean().optional() }).optional(),
  timeout_ms: positive.optional(),
  max_parallel: positive.optional(),
  nodes: z.array(node).min(1).refine(all => unique(all.map(each => each.id))),
  edges: z.array(z.strictObject({ from: z.string(), to: kebab, label: z.string().optional(), condition: z.string().optional() })),
});

const file = z.strictObject({ schema_version: z.literal('1.0'), workflow });

function unique(all: string[]): boolean {
  return new Set(all).size === all.length;
}

/** What nodes, edges and agents have to be to each other. */
function connected({ nodes, edges, agents = [{ $ref: 'elsewhere' }] }: z.infer<typeof workflow>): boolean {
  const known = new Map(nodes.map(each => [each.id, each]));
  const inline = new Map(agents.flatMap(each => ('id' in each ? [[each.id, each] as const] : [])));
  const pairs: [string, string][] = [];
  const needs: [string, string][] = [];
  for (const each of nodes) {
    for (const to of targets(each)) pairs.push([each.id, to]);
    const own = each.type === 'agent' ? inline.get(each.agent_ref) : undefined;
    for (const [, from = ''] of told(each, own?.system_prompt).matchAll(/\{\{\s*run\.outputs\[\s*["']([^"']*)["']\s*\]/g)) needs.push([from, each.id]);
    if (each.type !== 'agent') continue;
    if (!own && !agents.some(other => '$ref' in other)) return false;
    if (own && !own.mcp_servers?.length && each.tools?.some(tool => !own.tools?.includes(tool))) return false;
  }
  for (const { from, to } of edges) {
    const [start = '', ...rest] = from.split(':');
    const [of, when] = [known.get(start), rest.join(':')];
    if (of?.type === 'condition') {
      const branch = of.branches.find(each => String(each.when) === when || (typeof each.when === 'number' && each.when === Number(when)));
      if (rest.length === 0 || branch?.target_node !== to) return false;
    } else if (rest.length > 0 || (of?.type === 'parallel' && !of.parallel_of.includes(to))) return false;
    pairs.push([start, to]);
  }
  return pairs.every(ends => ends.every(end => known.has(end))) && !circular([...pairs, ...needs]);
}

function targets(each: z.infer<typeof node>): string[] {
  if (each.type === 'parallel') return each.parallel_of;
  return each.type === 'condition' ? [...each.branches.map(branch => branch.target_node), ...(each.default ? [each.default] : [])] : [];
}

function told(each: z.infer<typeof node>, instructions = ''): string {
  if (each.type === 'agent') return [each.prompt_template, each.system_prompt_append, instructions].join('\n');
  return each.type === 'human_gate' ? [each.assignee, each.message_template].join('\n') : '';
}

function circular(pairs: [string, string][]): boolean {
  const left = pairs.filter(([from]) => pairs.some(([, to]) => to === from));
  return left.length === pairs.length ? left.length > 0 : circular(left);
}

function read(path: string): unknown {
  return parse(textOf(path), { version: '1.2', maxAliasCount: 0 });
}

/** What is wrong with a file, as it is read. */
function wrong(content: () => unknown): unknown {
  try {
    const all = file.parse(content()).workflow;
    return connected(all) ? undefined : 'Its parts do not belong together.';
  } catch (error) {
    return error;
  }
}

const messages = z.array(
  z.strictObject({
    id: word,
    sessionId: word,
    sequenceNumber: natural,
    role: z.enum(['user', 'assistant', 'tool', 'system']),
    content: z.array(z.looseObject({ type: word })),
    modelId: word.optional(),
    timestamp: z.iso.datetime({ precision: 3 }),
  }),
);
const exported = z.looseObject({
  relaviumExport: z.strictObject({
    source: z.literal('session'),
    sessionId: word,
    agentSlug: z.string(),
    title: word.optional(),
    createdAt: z.iso.datetime({ precision: 3 }),
    updatedAt: z.iso.datetime({ precision: 3 }),
    messages,
  }),
});

const folder = new URL('../../../backend/workflow/testdata/', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, folder), 'utf8');
const files = (of: string, ends: string) => readdirSync(new URL(of, folder)).filter(path => path.endsWith(ends)).map(path => `${of}${path}`);

test.each([...files('export/', '.golden'), ...files('valid/', '.golden'), ...files('valid/', '.yaml')])('reads %s', path => {
  expect(wrong(() => read(path))).toBeUndefined();
});

test.each(files('export/', '.golden'))('finds the session in %s', path => {
  expect(z.object({ workflow: z.object({ metadata: exported }) }).safeParse(read(path)).error).toBeUndefined();
});

test.each(['canvas.jsonl', 'canvas_random.jsonl'])('agrees about %s', path => {
  for (const line of textOf(path).trim().split('\n')) {
    const { title, right, workflow: made } = JSON.parse(line) as { title: string; right: boolean; workflow: unknown };
    expect(wrong(() => ({ schema_version: '1.0', workflow: made })) === undefined, title).toBe(right);
  }
});

// Where the others are wrong is in the text of a template, or in the text of the file itself.
test.each(files('invalid/', '.yaml').filter(path => !/secret|reads-|prompt-(empty|unknown)|yaml-/.test(path)))('refuses %s', path => {
  expect(wrong(() => read(path))).toBeDefined();
});
