import { Circle, CircleCheck, CircleDot, ListTodo, type LucideIcon } from 'lucide-react';
import type { PlanItem } from '../api/types.gen.ts';
import { text } from '../ui/text.ts';
import { has, isListOf } from './call.ts';
import { tense, type Card } from './card.ts';

/** The checklist itself is a part of the answer; a call says how far it is, and what it was then. */
export const todoWrite: Card = {
  icon: ListTodo,
  verb: call => tense(call, text.tool.todo),
  target: () => undefined,
  meta: ({ output }) => (has<{ items: number; done: number }>(output, { items: 'number', done: 'number' }) ? text.tool.done(output.done, output.items) : undefined),
  body: ({ input }) => {
    const items = (input as { items?: unknown } | null | undefined)?.items;
    return isListOf<PlanItem>(items, { text: 'string', status: 'string' }) ? <Checklist items={items} /> : undefined;
  },
};

const pending: [icon: LucideIcon, className: string] = [Circle, 'text-faint'];
const looks: Record<string, typeof pending> = { completed: [CircleCheck, 'text-good'], in_progress: [CircleDot, 'text-accent'] };

/** What is to be done, and how far it is. */
export function Checklist({ items }: { items: PlanItem[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {items.map((item, i) => {
        const [Icon, color] = Object.hasOwn(looks, item.status) ? looks[item.status]! : pending;
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
  );
}
