import { Hand } from 'lucide-react';
import type { Question } from '../chat/questions.ts';
import type { OpenSession } from '../chat/session.ts';
import { Button } from '../ui/button.tsx';
import { useShortcut } from '../ui/keys.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';

interface QuestionBarProps {
  session: OpenSession;
  /** The questions to the person. */
  asked: Question[];
}

/** Says above the composer that something waits for the person, where none of it is in view. */
export function QuestionBar({ session, asked }: QuestionBarProps) {
  const isInView = useStore(session.questions, state => [...state.cards.values()].includes(true));
  const show = () => {
    const next = asked[0]?.id;
    if (!next) return;
    session.pages.toEnd();
    session.questions.goTo(next);
    if (!session.questions.value.cards.has(next)) void session.show(session.chat.lastMessage!.id); // its turn is far off
  };
  useShortcut('question', show);
  if (asked.length === 0 || isInView) return null;
  return (
    <div className="mx-auto w-full max-w-measure px-3 sm:px-4">
      <div className="flex items-center gap-3 rounded-lg border border-warn/40 bg-warn-tint py-1.5 ps-4 pe-1.5 text-sm">
        <Hand aria-hidden className="size-4 shrink-0 text-warn" />
        <span className="min-w-0 truncate">{text.question.waiting(asked.length)}</span>
        <Button onClick={show} className="ms-auto">
          {text.question.show}
        </Button>
      </div>
    </div>
  );
}
