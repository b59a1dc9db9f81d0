import { MessageCircleQuestion, ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import type { Question } from '../api/types.gen.ts';
import { Choice } from '../approvals/approval.tsx';
import { AnswerForm } from '../approvals/input.tsx';
import { SecretsAsked } from '../approvals/secrets.tsx';
import { useSettled } from '../approvals/settled.ts';
import { useParley } from '../parley.ts';
import { argument } from '../tools/call.ts';
import { parseDiff } from '../tools/diff.ts';
import { Diff } from '../tools/diff_view.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { hrefOf } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { useView } from '../ui/view.ts';
import { Waited } from './waited.tsx';

/** The dialog with everything that waits for a person. */
export default function Waiting() {
  const { host, inbox } = useParley();
  const waiting = useStore(inbox, state => state.waiting);
  return (
    <Dialog title={text.inbox.title} isWide>
      <p className="mt-3 text-sm text-soft">{waiting.length > 0 ? text.inbox.says : text.inbox.none}</p>
      <ul className="mt-3 max-h-[60vh] divide-y divide-line overflow-y-auto empty:hidden">
        {waiting.map((question, i) => (
          <Item key={question.id} question={question} isFirst={i === 0} />
        ))}
      </ul>
      {host.notify && <Notify />}
    </Dialog>
  );
}

/** One question. What is moved into the place of another is not answered by the click that was meant for that one. */
function Item({ question, isFirst }: { question: Question; isFirst: boolean }) {
  const { inbox, dialogs } = useParley();
  const problem = useStore(inbox, state => state.problems[question.id]);
  const count = useStore(inbox, state => state.waiting.length);
  const isSettled = useSettled(true, count);
  const { id, kind, manifest, sessionId, title, agent, askedAt } = question;
  const isApproval = kind === 'user_approval';
  const Icon = isApproval ? ShieldQuestion : MessageCircleQuestion;
  const about = isApproval ? argument(manifest, 'preview') : argument(manifest, 'question');
  const what = isApproval ? text.question.action(argument(manifest, 'action')) : text.inbox.input;
  const diff = argument(manifest, 'diff');
  const decide = (approved: boolean) => void inbox.answer(id, { approved });
  return (
    <li className="py-3">
      <p className="flex items-baseline gap-2 text-sm">
        <Icon aria-hidden className="size-4 shrink-0 self-center text-warn" />
        <span className="min-w-0 font-medium break-words">{title || text.untitled}</span>
        <span className="ms-auto shrink-0 text-xs text-soft">
          <Waited since={askedAt} />
        </span>
      </p>
      <p className="mt-1 text-sm text-soft">{text.inbox.asks(what, agent ?? '')}</p>
      <SecretsAsked asks={manifest} />
      {about && <pre className="mt-1.5 max-h-32 overflow-y-auto rounded-md bg-sunken px-3 py-1.5 font-mono text-code break-words whitespace-pre-wrap">{about}</pre>}
      {diff && (
        <div className="mt-1.5 max-h-48 overflow-y-auto">
          <Diff lines={parseDiff(diff)} />
        </div>
      )}
      {!isApproval && <AnswerForm asks={manifest} cannot={!isSettled} onAnswer={decision => void inbox.answer(id, decision)} />}
      <div className="mt-2 flex flex-wrap gap-2">
        {isApproval && (
          <>
            <Choice disabled={!isSettled} onClick={() => decide(true)}>
              {text.question.once}
            </Choice>
            <Choice disabled={!isSettled} onClick={() => decide(false)}>
              {text.question.deny}
            </Choice>
          </>
        )}
        <a
          href={hrefOf(sessionId)}
          data-focus={isFirst || undefined}
          onClick={() => dialogs.close()}
          className="inline-flex h-8 items-center rounded-md px-3 text-sm font-medium text-accent hover:bg-hover"
        >
          {text.inbox.go}
        </a>
      </div>
      <p role="alert" className="mt-2 text-sm text-bad empty:hidden">
        {problem && text.question.problem(problem)}
      </p>
    </li>
  );
}

/** Lets a person be told of what waits while they do something else. Whoever has to allow it is asked when they want it, not before. */
function Notify() {
  const { host } = useParley();
  const [{ notify }, change] = useView();
  const [isBlocked, block] = useState(false);
  const toggle = async () => {
    const may = notify || (await host.mayNotify());
    block(!may);
    if (may) change({ notify: !notify });
  };
  return (
    <div className="mt-4 border-t border-line pt-3">
      <Button aria-pressed={notify} onClick={() => void toggle()} className="aria-pressed:border-accent aria-pressed:text-accent">
        {text.inbox.notify}
      </Button>
      <p role="status" className="mt-2 text-sm text-warn empty:hidden">
        {isBlocked && text.inbox.blocked}
      </p>
    </div>
  );
}
