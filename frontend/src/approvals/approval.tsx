import { ShieldQuestion } from 'lucide-react';
import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import type { Scope } from '../api/types.gen.ts';
import type { Question } from '../chat/questions.ts';
import type { OpenSession } from '../chat/session.ts';
import { Waited } from '../inbox/waited.tsx';
import { useParley } from '../parley.ts';
import { argument } from '../tools/call.ts';
import { parseDiff } from '../tools/diff.ts';
import { Diff } from '../tools/diff_view.tsx';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { QuestionCard } from './card.tsx';
import { SecretsAsked, secretsOf } from './secrets.tsx';

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
  const { inbox, list } = useParley();
  const agent = useStore(list, () => list.get(session.id)?.agent);
  const [note, write] = useState('');
  const ruled = useId();
  const { id, asks } = question;
  const about = [text.question.action(argument(asks, 'action')), argument(asks, 'preview')].filter(Boolean).join(': ');
  const rule = argument(asks, 'rule');
  const diff = argument(asks, 'diff');
  const grantsSecrets = secretsOf(asks).length > 0;
  const askedAt = useStore(inbox, state => state.waiting.find(waiting => waiting.id === id)?.askedAt);
  const allow = (scope: Scope) => void session.questions.answer(id, { approved: true, scope });
  const deny = () => void session.questions.answer(id, { approved: false, note: note.trim() || undefined });
  const keys = { y: () => allow('once'), ...(rule && { s: () => allow('session'), p: () => allow('project'), a: () => allow('always') }), n: deny };
  return (
    <QuestionCard session={session} question={question} place={place} keys={keys} icon={ShieldQuestion} title={title}>
      {cannot => (
        <>
          <p className="mt-0.5 break-words text-soft">
            {about}
            {agent && <span className="text-faint">{text.question.by(about, agent.name || agent.id)}</span>}
            {askedAt !== undefined && (
              <span className="text-faint">
                {' · '}
                <Waited since={askedAt} />
              </span>
            )}
          </p>
          <SecretsAsked asks={asks} />
          <div className="mt-2">{diff ? <Diff lines={parseDiff(diff)} /> : children}</div>
          <div className="mt-3 flex flex-wrap items-center gap-2">
            <Choice shortcut="Y" disabled={cannot} onClick={keys.y}>
              {text.question.once}
            </Choice>
            <form
              className="ms-auto flex min-w-56 flex-1 gap-2"
              onSubmit={event => {
                event.preventDefault();
                deny();
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
              <Choice shortcut="N" disabled={cannot} onClick={deny}>
                {text.question.deny}
              </Choice>
            </form>
          </div>
          {rule && (
            <div className="mt-2.5 flex flex-wrap items-center gap-x-2 gap-y-1.5">
              <p id={ruled} className={`min-w-0 text-soft ${grantsSecrets ? 'basis-full' : ''}`}>
                {text.allow.like} <code className="font-mono text-code break-words text-ink">{rule}</code>
                {grantsSecrets && `. ${text.allow.grants}`}
              </p>
              {wider.map(scope => (
                <Choice key={scope} shortcut={scope[0]!.toUpperCase()} disabled={cannot} aria-describedby={ruled} onClick={() => allow(scope)}>
                  {text.allow.scopes[scope]}
                </Choice>
              ))}
            </div>
          )}
        </>
      )}
    </QuestionCard>
  );
}

/** For how long a call, and those like it, may be allowed besides once. Each is also the key for it, by its first letter. */
const wider = ['session', 'project', 'always'] as const satisfies Scope[];

interface ChoiceProps extends ComponentProps<typeof Button> {
  shortcut?: string;
}

/** One of the answers. It looks the same while it is not to be pressed yet: that is for a moment only. */
export function Choice({ shortcut, children, ...rest }: ChoiceProps) {
  return (
    <Button className="shrink-0 disabled:opacity-100" {...rest}>
      {children}
      {shortcut && (
        <kbd aria-hidden className="rounded border border-line px-1 font-sans text-xs text-faint max-sm:hidden">
          {shortcut}
        </kbd>
      )}
    </Button>
  );
}
