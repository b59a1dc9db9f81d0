import { useEffect, useState } from 'react';
import { useParley } from '../parley.ts';
import { text } from '../ui/text.ts';
import { Checks, Group } from './fields.tsx';
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
