import { ShieldQuestion } from 'lucide-react';
import { useState, type ComponentProps, type ReactNode } from 'react';
import type { Question } from '../chat/questions.ts';
import type { OpenSession } from '../chat/session.ts';
import { useParley } from '../parley.ts';
import { argument } from '../tools/call.ts';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { QuestionCard } from './card.tsx';

interface ApprovalProps {
  session: OpenSession;
  question: Extract<Question, { kind: 'approval' }>;
  place: [n: number, of: number];
  title: ReactNode;
  /** What the call was given, as its card shows it. */
  children: ReactNode;
}

/** Asks whether a call may run. */
export function ApprovalCard({ session, question, place, title, children }: ApprovalProps) {
  const { list } = useParley();
  const agent = useStore(list, () => list.get(session.id)?.agent);
  const [note, write] = useState('');
  const { id, tool, asks } = question;
  const about = [text.question.action(argument(asks, 'action')), argument(asks, 'preview')].filter(Boolean).join(': ');
  const decide = (approved: boolean, scope?: 'session') =>
    void session.questions.answer(id, approved ? { approved, scope } : { approved, note: note.trim() || undefined });
  const keys = { y: () => decide(true), s: () => decide(true, 'session'), n: () => decide(false) };
  return (
    <QuestionCard session={session} question={question} place={place} keys={keys} icon={ShieldQuestion} title={title}>
      {cannot => (
        <>
          <p className="mt-0.5 break-words text-soft">
            {about}
            {agent && <span className="text-faint">{text.question.by(about, agent.name || agent.id)}</span>}
          </p>
          <div className="mt-2">{children}</div>
          <div className="mt-3 flex flex-wrap items-center gap-2">
            <Choice shortcut="Y" disabled={cannot} onClick={keys.y}>
              {text.question.once}
            </Choice>
            <Choice shortcut="S" disabled={cannot} onClick={keys.s} title={text.question.sessionMeans(tool)}>
              {text.question.session}
            </Choice>
            <form
              className="ms-auto flex min-w-56 flex-1 gap-2"
              onSubmit={event => {
                event.preventDefault();
                decide(false);
              }}
            >
              <input
                value={note}
                dir="auto"
                aria-label={text.question.note}
                placeholder={text.question.note}
                onChange={event => write(event.target.value)}
                className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-2.5 text-sm placeholder:text-faint"
              />
              <Choice shortcut="N" disabled={cannot} onClick={keys.n}>
                {text.question.deny}
              </Choice>
            </form>
          </div>
        </>
      )}
    </QuestionCard>
  );
}

interface ChoiceProps extends ComponentProps<typeof Button> {
  shortcut: string;
}

/** One of the answers. It looks the same while it is not to be pressed yet: that is for a moment only. */
function Choice({ shortcut, children, ...rest }: ChoiceProps) {
  return (
    <Button className="shrink-0 disabled:opacity-100" {...rest}>
      {children}
      <kbd aria-hidden className="rounded border border-line px-1 font-sans text-xs text-faint max-sm:hidden">
        {shortcut}
      </kbd>
    </Button>
  );
}
