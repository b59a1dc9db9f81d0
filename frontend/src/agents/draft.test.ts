import { expect, test } from 'vitest';
import type { AgentDetails } from '../api/types.gen.ts';
import { blank, toDetails, toDraft } from './draft.ts';
import { blankTool } from './tool.ts';
import { agentsText } from './text.ts';

const said = agentsText.editor.own;

const whole: AgentDetails = {
  id: 'a',
  name: 'A',
  description: 'd',
  harness: 'pi',
  provider: 'openai',
  model: 'm',
  system_prompt: 'p',
  tools: ['read_file', 'run_command'],
  mcp_servers: ['notes'],
  own_servers: [{ id: 'mine', transport: 'stdio', command: 'run' }],
  permissions: { mode: 'plan', default: 'allow_reads', rules: [{ pattern: 'fs_write', permission: 'deny' }], allowed_commands: ['go vet'], allowed_command_globs: ['git log *'], allowed_domains: ['example.org'] },
  options: { effort: 'high' },
  author_tools: [
    { kind: 'code', name: 'count', description: 'Counts', input_schema: { type: 'object' }, runtime: 'node', code: 'x\n', secrets: { TOKEN: '{{secret:token}}' }, args: { a: 1 }, timeout_ms: 1500, permission: 'ask' },
    { kind: 'http', name: 'post', description: 'Posts', input_schema: {}, url: 'https://example.org', method: 'PUT', headers: { 'X-A': 'b' }, secrets: {} },
  ],
  command_env: { TOKEN: '{{secret:token}}' },
};

test('what is edited and not changed is the same', () => {
  expect(toDetails(toDraft(whole))).toEqual(whole);
});

test('a form that nothing was written into leaves open what an agent need not say', () => {
  expect(toDetails(blank)).toEqual({ id: '', name: '', description: '', harness: 'native', provider: '', model: '', system_prompt: '', tools: [], mcp_servers: [], own_servers: [], author_tools: [], command_env: {}, permissions: { mode: 'ask', rules: [], allowed_commands: [], allowed_command_globs: [], allowed_domains: [] }, options: {} });
});

test('what a harness does not have is left out', () => {
  const own = { ...toDraft(whole), isOwnLogin: true };
  expect(toDetails(own)).toMatchObject({ login: 'own', provider: '', options: { effort: 'high' } });
  const native = toDetails({ ...own, harness: 'native' });
  expect(native).toMatchObject({ provider: 'openai', options: {} });
  expect(native).not.toHaveProperty('login');
});

test('variables go with the commands that they are for', () => {
  expect(toDetails({ ...toDraft(whole), tools: ['read_file'] })).toMatchObject({ command_env: {} });
});

test('a tool of its own that cannot be read is refused by name', () => {
  const tool = { ...blankTool, name: 'count' };
  expect(toDetails({ ...blank, own: [tool, { ...tool, schema: '{' }, { ...tool, args: 'x' }, { ...tool, seconds: 'ten' }] })).toEqual([
    said.badJSON('count', said.schema),
    said.badJSON('count', said.args),
    said.badSeconds('count'),
  ]);
});

test('a row that nothing was written into is no rule', () => {
  const draft = { ...blank, commands: [''], globs: [''], domains: [''], rules: [{ pattern: '', permission: 'ask' as const }], options: [{ name: '', value: 'x' }], harness: 'pi' };
  expect(toDetails(draft)).toMatchObject({ permissions: { rules: [], allowed_commands: [], allowed_command_globs: [], allowed_domains: [] }, options: {} });
});
