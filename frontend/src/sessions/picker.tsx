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

/** The choice that leads to more of them. No agent has this id. */
const more = '';

/** Whom the next message is for. */
export function AgentPicker({ agent, agents, onChoose }: AgentPickerProps) {
  const { dialogs } = useParley();
  if (!agent) return null;
  const all = agents.some(({ id }) => id === agent.id) ? agents : [agent, ...agents];
  return (
    <Select
      label={text.agent.choose}
      value={agent.id}
      options={[...all.map(other => [other.id, text.agent.name(other.name || other.id, isDemo(other))] as const), [more, text.agent.more]]}
      onChoose={id => (id === more ? dialogs.showHarnesses() : onChoose(id))}
      className="h-8 max-w-64 text-sm"
    />
  );
}
