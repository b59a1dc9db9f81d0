import { Ban, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { ApprovalCard } from '../approvals/approval.tsx';
import { InputCard } from '../approvals/input.tsx';
import type { Part } from '../chat/message.ts';
import type { Question } from '../chat/questions.ts';
import type { OpenSession } from '../chat/session.ts';
import { isToolPart, toCall, type Call } from '../tools/call.ts';
import { InputAndOutput } from '../tools/generic.tsx';
import { cardOf } from '../tools/registry.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { useSeconds, type Seen } from '../ui/time.ts';
import { Spinner } from '../ui/spinner.tsx';
import { text } from '../ui/text.ts';

interface ToolGroupProps {
  parts: Part[];
  /** What is asked about the calls of the answer, by the call. */
  questions: Map<string, Question>;
  live: boolean;
  session: OpenSession;
}

/** Calls that were made one after the other. */
export function ToolGroup({ parts, questions, live, session }: ToolGroupProps) {
  const open = [...questions.values()].filter(({ isOpen, id }) => isOpen && id !== undefined);
  return (
    <div className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {parts.filter(isToolPart).map(part => {
        const question = questions.get(part.toolCallId);
        const call = toCall(part);
        if (!question?.isOpen || !question.id) return <ToolRow key={call.id} {...call} question={question} live={live} seen={session.seen} />;
        const place: [number, number] = [open.indexOf(question) + 1, open.length];
        const about = { session, place };
        if (question.kind === 'input') return <InputCard key={question.id} question={question} {...about} />;
        return (
          <ApprovalCard key={question.id} question={question} title={<CallTitle call={call} />} {...about}>
            <CallBody call={call} />
          </ApprovalCard>
        );
      })}
    </div>
  );
}

/** One call: a line that says what it does, and all there is to know of it inside. */
const ToolRow = memo(function ToolRow({ question, live, seen, ...call }: Call & { question: Question | undefined; live: boolean; seen: Seen }) {
  const isRunning = live && ['writing', 'allowed', 'running'].includes(call.state);
  const seconds = useSeconds(seen, call.id, isRunning);
  const awaited = question?.isOpen ? text.question.client : call.state === 'allowed' ? text.question.allowed : undefined;
  return (
    <Disclosure
      className="px-3 py-0.5"
      icon={<StateIcon call={call} isRunning={isRunning} />}
      label={<CallTitle call={call} />}
      meta={awaited ?? (isRunning ? text.seconds(seconds ?? 0) : cardOf(call).meta?.(call))}
      note={call.state === 'denied' ? text.tool.denied(call.note) : isRunning ? cardOf(call).live?.(call) : undefined}
    >
      <CallBody call={call} />
    </Disclosure>
  );
});

/** What a call does, and to what. */
function CallTitle({ call }: { call: Call }) {
  const { verb, target } = cardOf(call);
  const to = target(call);
  return (
    <>
      {verb(call)} {to !== undefined && <code className="font-mono text-ink">{to}</code>}
    </>
  );
}

function CallBody({ call }: { call: Call }) {
  return cardOf(call).body?.(call) ?? <InputAndOutput call={call} />;
}

function StateIcon({ call, isRunning }: { call: Call; isRunning: boolean }) {
  const Icon = call.state === 'failed' ? TriangleAlert : call.state === 'denied' ? Ban : cardOf(call).icon;
  if (isRunning) return <Spinner className="size-4 text-accent" />;
  return <Icon aria-hidden className={`size-4 shrink-0 ${call.state === 'failed' || call.state === 'denied' ? 'text-warn' : 'text-faint'}`} />;
}
