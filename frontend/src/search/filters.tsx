import { useParley } from '../parley.ts';
import { isDemo } from '../agents/agents.ts';
import { Select } from '../ui/select.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import type { Filter } from './search.ts';

/** What narrows a search: who said it, when, and in a session with which agent. */
export function Filters({ onNarrowed }: { onNarrowed: () => void }) {
  const { search, agents: known } = useParley();
  const { role, days, agent } = useStore(search, state => state.filter);
  const agents = useStore(known, state => state.agents);
  const narrow = (filter: Filter) => {
    onNarrowed();
    search.narrow(filter);
  };
  return (
    <div role="group" aria-label={text.search.filters} className="mx-3 mt-1 flex h-7 shrink-0 gap-1.5 text-xs *:flex-1 *:rounded-md *:border *:border-line">
      <Select label={text.search.by} value={role ?? ''} options={text.search.roles} onChoose={chosen => narrow({ role: (chosen || undefined) as Filter['role'] })} />
      <Select label={text.search.when} value={String(days ?? '')} options={text.search.times} onChoose={chosen => narrow({ days: Number(chosen) || undefined })} />
      {agents.length > 1 && (
        <Select
          label={text.agent.choose}
          value={agent ?? ''}
          options={[['', text.search.anyAgent], ...agents.map(each => [each.id, text.agent.name(each.name || each.id, isDemo(each))] as const)]}
          onChoose={chosen => narrow({ agent: chosen || undefined })}
        />
      )}
    </div>
  );
}
