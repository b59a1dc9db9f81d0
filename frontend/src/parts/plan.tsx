import { Circle, CircleCheck, CircleDot, type LucideIcon } from 'lucide-react';
import type { DataUIPart } from 'ai';
import type { Plan } from '../chat/message.ts';
import { text } from '../ui/text.ts';
import type { PartProps } from './registry.tsx';

const looks: Record<string, [icon: LucideIcon, className: string]> = {
  completed: [CircleCheck, 'text-good'],
  in_progress: [CircleDot, 'text-accent'],
  pending: [Circle, 'text-faint'],
};

/** The agent's checklist. */
export function PlanPart({ part }: PartProps<DataUIPart<{ plan: Plan }>>) {
  const { items } = part.data;
  if (items.length === 0) return null;
  return (
    <section aria-label={text.plan.title} className="rounded-lg border border-line bg-raised px-4 py-3 text-sm">
      <p className="mb-1.5 font-medium">{text.plan.title}</p>
      <ul className="flex flex-col gap-1">
        {items.map((item, i) => {
          const [Icon, color] = looks[item.status] ?? looks.pending!;
          return (
            // A plan has no names for its lines.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={i} className="flex gap-2">
              <Icon aria-label={text.plan.status(item.status)} className={`mt-0.5 size-4 shrink-0 ${color}`} />
              <span className={item.status === 'completed' ? 'text-soft' : ''}>{item.text}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
