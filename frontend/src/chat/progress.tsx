import { isToolPart } from '../tools/call.ts';
import { useStore } from '../ui/store.ts';
import { useSeconds } from '../ui/time.ts';
import { text } from '../ui/text.ts';
import type { Message } from './message.ts';
import type { OpenSession } from './session.ts';

const worthSaying = 3;

/** What the agent is busy with, where nothing else on the page shows it. */
export function Progress({ session, answer }: { session: OpenSession; answer: Message | undefined }) {
  const stopping = useStore(session, state => state.stopping);
  const activity = useStore(session, state => state.activity);
  const phase = stopping ? text.progress.stopping : (activity ?? quietPhase(answer));
  const part = answer?.parts.at(-1);
  if (!phase && part?.type === 'text') return <Stalled key={part.text.length} session={session} />;
  if (!phase) return null;
  return <Phase key={phase} session={session} phase={phase} />;
}

/** Says that the turn goes on, where an answer that was streaming has paused. */
function Stalled({ session }: { session: OpenSession }) {
  return (
    <div className="appear-stalled">
      <Phase session={session} phase={text.progress.working} />
    </div>
  );
}

function Phase({ session, phase }: { session: OpenSession; phase: string }) {
  const seconds = useSeconds(session.seen, 'progress', true) ?? 0;
  return (
    <p className="flex items-center gap-2.5 text-sm text-soft">
      <span aria-hidden className="size-2 animate-breathe rounded-full bg-accent" />
      {phase}
      {seconds >= worthSaying && <span className="text-faint tabular-nums">{text.seconds(seconds)}</span>}
    </p>
  );
}

/** What to say while no part of the answer moves. */
function quietPhase(answer: Message | undefined): string | undefined {
  const part = answer?.parts.findLast(({ type }) => type !== 'step-start' && type !== 'data-harness');
  if (!part) return text.progress.waiting;
  if (part.type === 'text' || part.type === 'reasoning') return part.state === 'streaming' ? undefined : text.progress.working;
  if (isToolPart(part)) return ['input-streaming', 'input-available', 'approval-responded'].includes(part.state) ? undefined : text.progress.working;
  return text.progress.working;
}
