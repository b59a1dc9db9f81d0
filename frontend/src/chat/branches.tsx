import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import type { Message } from './message.ts';
import type { OpenSession } from './session.ts';

interface BranchesProps {
  session: OpenSession;
  answers: Message[];
  isFixed: boolean;
}

/** The way to the other versions of a turn, if it has any: asked in other words, or answered again. */
export function Branches({ session, answers, isFixed }: BranchesProps) {
  const isChoosing = useStore(session, state => state.choosing);
  const branches = useStore(session.pages, state => state.branches);
  const answer = answers.findLast(({ id }) => branches[id])?.id;
  if (!answer) return null;
  const versions = branches[answer]!;
  const at = versions.indexOf(answer);
  const step = (by: 1 | -1, icon: LucideIcon, label: string) => (
    <IconButton
      icon={icon}
      label={label}
      disabled={isFixed || isChoosing || !versions[at + by]}
      onClick={() => void session.choose(versions[at + by]!)}
      className="size-6 rtl:-scale-x-100"
    />
  );
  return (
    <div role="group" aria-label={text.branch.title} className="-mt-3 flex items-center justify-end text-xs text-soft tabular-nums">
      {step(-1, ChevronLeft, text.branch.previous)}
      <span role="status" aria-label={text.branch.says(at + 1, versions.length)}>
        {text.branch.place(at + 1, versions.length)}
      </span>
      {step(1, ChevronRight, text.branch.next)}
    </div>
  );
}
