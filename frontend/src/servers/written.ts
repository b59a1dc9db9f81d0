import type { MCPServer } from '../api/types.gen.ts';
import { serversText } from './text.ts';

/** A server as a person writes it: lists are lines. */
export interface Written {
  id: string;
  transport: 'stdio' | 'http';
  command: string;
  args: string;
  env: string;
  url: string;
  headers: string;
  isAll: boolean;
  tools: string;
}

const pairLines = (of: Record<string, string> | undefined, sign: string) =>
  Object.entries(of ?? {})
    .map(([name, value]) => name + sign + value)
    .join('\n');

export function toWritten(config?: MCPServer): Written {
  return {
    id: config?.id ?? '',
    transport: config?.transport ?? 'stdio',
    command: config?.command ?? '',
    args: (config?.args ?? []).join('\n'),
    env: pairLines(config?.env, '='),
    url: config?.url ?? '',
    headers: pairLines(config?.headers, ': '),
    isAll: !config?.tools_allowlist,
    tools: (config?.tools_allowlist ?? []).join('\n'),
  };
}

/** What was written, or why that is no server. What else may be wrong with it the door says. */
export function toConfig(written: Written): MCPServer | string {
  const config: MCPServer = { id: written.id.trim(), transport: written.transport };
  const isProgram = written.transport === 'stdio';
  const named = pairsOf(isProgram ? written.env : written.headers, isProgram ? '=' : ':');
  if (typeof named === 'string') return named;
  if (isProgram) {
    config.command = written.command.trim();
    config.args = written.args.split('\n').filter(line => line !== '');
    config.env = named;
  } else {
    config.url = written.url.trim();
    config.headers = named;
  }
  if (!written.isAll) config.tools_allowlist = linesOf(written.tools);
  return config;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
}

function pairsOf(text: string, sign: string): Record<string, string> | string {
  const named: Record<string, string> = {};
  for (const line of linesOf(text)) {
    const at = line.indexOf(sign);
    if (at < 1) return serversText.form.badLine(line);
    named[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return named;
}
