import type { LucideIcon } from 'lucide-react';
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { Question } from '../chat/questions.ts';
import type { OpenSession } from '../chat/session.ts';
import { isComposing } from '../ui/keys.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { moment, useSettled } from './settled.ts';

interface QuestionCardProps {
  session: OpenSession;
  question: Question & { id: string };
  /** Which of how many that are open it is. */
  place: [n: number, of: number];
  icon: LucideIcon;
  /** What is asked, in one line. */
  title: ReactNode;
  /** What keys do while the card has the focus. */
  keys?: Record<string, () => void>;
  children: (cannot: boolean) => ReactNode;
}

/** A question at the call that waits for it. Nothing in it has the focus before a person puts it there. */
export function QuestionCard({ session, question: { id }, place, icon: Icon, title, keys, children }: QuestionCardProps) {
  const { questions } = session;
  const isAnswered = useStore(questions, state => state.answered.has(id));
  const problem = useStore(questions, state => state.problems[id]);
  const answeredAt = useStore(questions, state => state.answeredAt);
  const isSettled = useSettled(!isAnswered, answeredAt);
  const card = useRef<HTMLElement>(null);
  const described = useId();
  useSight(card, session, id);

  const reached = useRef(0);
  const pressed = (event: KeyboardEvent) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !isComposing(event.nativeEvent);
    const run = isPlain && !(event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) && keys?.[event.key.toLowerCase()];
    if (!run || !isSettled || event.repeat || event.timeStamp - reached.current < moment) return;
    event.preventDefault();
    run();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys do what its buttons do
    <section
      ref={card}
      role="group"
      aria-label={text.question.label(place)}
      aria-describedby={described}
      aria-keyshortcuts={keys && Object.keys(keys).join(' ').toUpperCase()}
      tabIndex={-1}
      onFocus={event => event.target === card.current && (reached.current = event.timeStamp)}
      onKeyDown={pressed}
      className="border-s-3 border-warn bg-warn-tint/60 px-4 py-3 text-sm -outline-offset-2"
    >
      <div className="flex items-baseline gap-3">
        <p id={described} className="flex min-w-0 items-baseline gap-2 font-medium break-words">
          <Icon aria-hidden className="size-4 shrink-0 self-center text-warn" />
          <span className="min-w-0">{title}</span>
        </p>
        {place[1] > 1 && <span className="ms-auto shrink-0 text-xs text-soft tabular-nums">{text.question.place(place)}</span>}
      </div>
      {children(!isSettled)}
      <p role="alert" className="mt-2 text-bad empty:hidden">
        {problem && text.question.problem(problem)}
      </p>
    </section>
  );
}

/** Says whether a person sees the card, and takes them to it when they ask for it. */
function useSight(card: RefObject<HTMLElement | null>, { questions }: OpenSession, id: string): void {
  useEffect(() => {
    const sight = new IntersectionObserver(([entry]) => questions.see(id, entry!.isIntersecting), { threshold: 0.2 });
    sight.observe(card.current!);
    questions.see(id, false);
    return () => {
      sight.disconnect();
      questions.see(id, undefined);
    };
  }, [card, questions, id]);
  const isGoal = useStore(questions, state => state.goal === id);
  useEffect(() => {
    if (!isGoal) return;
    card.current!.focus({ preventScroll: true });
    card.current!.scrollIntoView({ block: 'center' });
    questions.goTo(undefined);
  }, [card, questions, isGoal]);
}
