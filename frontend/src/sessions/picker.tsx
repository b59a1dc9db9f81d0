import type { Agent } from '../api/types.gen.ts';
import { Select } from '../ui/select.tsx';
import { text } from '../ui/text.ts';
import { isDemo } from './agents.ts';

interface AgentPickerProps {
  agent: Agent | undefined;
  /** Those there are to choose from. With one or none there is nothing to choose. */
  agents: Agent[];
  onChoose: (id: string) => void;
}

/** Whom the next message is for. */
export function AgentPicker({ agent, agents, onChoose }: AgentPickerProps) {
  if (!agent) return null;
  if (agents.length < 2) return <AgentName agent={agent} />;
  return (
    <Select
      label={text.agent.choose}
      value={agent.id}
      options={agents.map(other => [other.id, text.agent.name(other.name || other.id, isDemo(other))] as const)}
      onChoose={onChoose}
      className="h-8 max-w-64 text-sm"
    />
  );
}

export function AgentName({ agent }: { agent: Agent }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-sm text-soft" title={agent.description}>
      <span className="truncate">{agent.name || agent.id}</span>
      {isDemo(agent) && <DemoMark />}
    </span>
  );
}

export function DemoMark() {
  return (
    <abbr title={text.agent.demoMeans} className="rounded border border-warn/40 bg-warn-tint px-1 text-[0.6875rem] leading-4 font-medium text-warn no-underline">
      {text.agent.demo}
    </abbr>
  );
}
