import { expect, test } from 'vitest';
import type { MCPServer } from '../api/types.gen.ts';
import { toConfig, toWritten } from './written.ts';

const servers: MCPServer[] = [
  { id: 'files', transport: 'stdio', command: 'mcp-files', args: ['--root', '/a b'], env: { LEVEL: 'debug', X: 'a=b' } },
  { id: 'none', transport: 'stdio', command: 'x', args: [], env: {}, tools_allowlist: [] },
  { id: 'web', transport: 'http', url: 'https://mcp.example', headers: { 'X-Team': 'blue: red' }, tools_allowlist: ['read', 'list'] },
];

test.each(servers)('what is shown of $id and not changed stays as it is', server => {
  expect(toConfig(toWritten(server))).toEqual(server);
});

test('a line without a name and a value is refused', () => {
  expect(toConfig({ ...toWritten(servers[0]), env: 'LEVEL=debug\nnonsense' })).toContain('nonsense');
  expect(toConfig({ ...toWritten(servers[2]), headers: ': x' })).toContain(': x');
});

test('what belongs to the other kind of server is left out', () => {
  expect(toConfig({ ...toWritten(servers[0]), transport: 'http', url: 'https://mcp.example' })).toEqual({ id: 'files', transport: 'http', url: 'https://mcp.example', headers: {} });
});
