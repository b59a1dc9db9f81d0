import type { Agent } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Select } from '../ui/select.tsx';
import { text } from '../ui/text.ts';
import { isDemo } from './agents.ts';

interface AgentPickerProps {
  agent: Agent | undefined;
  /** Those there are to choose from. */
  agents: Agent[];
  onChoose: (id: string) => void;
}

/** The choices that lead elsewhere. No agent has such an id. */
const more = '';
const manage = '.';

/** Whom the next message is for. Who cannot be used is not offered. */
export function AgentPicker({ agent, agents, onChoose }: AgentPickerProps) {
  const { dialogs } = useParley();
  if (!agent) return null;
  const usable = agents.filter(({ untrusted }) => !untrusted);
  const all = usable.some(({ id }) => id === agent.id) ? usable : [agent, ...usable];
  const choose = (id: string) => {
    if (id === more) dialogs.showHarnesses();
    else if (id === manage) dialogs.showAgents();
    else onChoose(id);
  };
  return (
    <Select
      label={text.agent.choose}
      value={agent.id}
      options={[...all.map(other => [other.id, text.agent.name(other.name || other.id, isDemo(other))] as const), [manage, text.agent.manage], [more, text.agent.more]]}
      onChoose={choose}
      className="h-8 max-w-64 text-sm"
    />
  );
}
