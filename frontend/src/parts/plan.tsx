import type { DataUIPart } from 'ai';
import type { Plan } from '../chat/message.ts';
import { Checklist } from '../tools/todo_write.tsx';
import { text } from '../ui/text.ts';
import type { PartProps } from './registry.tsx';

/** The agent's checklist. */
export function PlanPart({ part }: PartProps<DataUIPart<{ plan: Plan }>>) {
  const { items } = part.data;
  if (items.length === 0) return null;
  return (
    <section aria-label={text.plan.title} className="rounded-lg border border-line bg-raised px-4 py-3">
      <p className="mb-1.5 text-sm font-medium">{text.plan.title}</p>
      <Checklist items={items} />
    </section>
  );
}
