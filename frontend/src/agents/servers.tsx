import { useEffect, useState } from 'react';
import type { MCPServer } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { text } from '../ui/text.ts';
import { Checks, Group } from '../ui/fields.tsx';
import { agentsText } from './text.ts';

const said = agentsText.editor;

/** Which MCP servers an agent uses: of those that there are, and those that it names already. */
export function Servers({ chosen, onChange }: { chosen: string[]; onChange: (chosen: string[]) => void }) {
  const { client } = useParley();
  const [known, show] = useState<string[]>([]);
  const [problem, fail] = useState<string>();
  useEffect(
    () =>
      void client.servers().then(
        ({ servers }) => show(servers.map(({ config }) => config.id)),
        (error: Error) => fail(error.message),
      ),
    [client],
  );
  const all = [...new Set([...known, ...chosen])];
  return (
    <Group title={text.servers} says={said.serversSay}>
      {all.length === 0 && !problem && <p className="text-sm text-soft">{said.noServers}</p>}
      <Checks all={all} chosen={chosen} onChange={onChange} />
      <p role="alert" className="text-sm text-bad empty:hidden">
        {problem}
      </p>
    </Group>
  );
}

/** The MCP servers that only this agent has, and what each is given: they are written in its file. */
export function OwnServers({ servers }: { servers: MCPServer[] }) {
  if (servers.length === 0) return null;
  return (
    <Group title={said.ownServers} says={said.ownServersSay}>
      <ul className="grid gap-3">
        {servers.map(({ id, url, command, args = [], env, headers, tools_allowlist: only }) => (
          <li key={id} className="min-w-0 rounded-lg border border-line bg-sunken/50 px-3 py-2">
            <p className="text-sm font-medium break-all">{id}</p>
            <p dir="ltr" className="font-mono text-code break-words text-soft">
              {url ?? [command, ...args].join(' ')}
            </p>
            <dl dir="ltr" className="mt-1 font-mono text-code break-words empty:hidden">
              {Object.entries({ ...env, ...headers }).map(([name, value]) => (
                <div key={name}>
                  <dt className="inline text-soft">{name}: </dt>
                  <dd className="inline">{value}</dd>
                </div>
              ))}
            </dl>
            {only && <p className="mt-1 text-xs break-words text-faint">{said.onlyTools(only)}</p>}
          </li>
        ))}
      </ul>
    </Group>
  );
}
