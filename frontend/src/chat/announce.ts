import { useEffect, useRef, useState } from 'react';
import { isToolPart, toCall } from '../tools/call.ts';
import { text } from '../ui/text.ts';
import type { Message } from './message.ts';

/** As much of a session as is worth saying aloud. */
interface Heard {
  isBusy: boolean;
  calls: string[]; // the tools that were called in the last answer, in order
  outcome: string | undefined; // none of a turn that waits for the person: that is said as what it waits for
}

function hear(messages: Message[], isBusy: boolean, isPaused: boolean): Heard {
  const last = messages.at(-1);
  const parts = last?.role === 'assistant' ? last.parts : [];
  const failure = parts.find(part => part.type === 'data-agent-error')?.data.message;
  return {
    isBusy,
    calls: parts.filter(isToolPart).map(part => toCall(part).name),
    outcome: isPaused ? undefined : failure ? text.said.failed(failure) : last?.metadata?.stopReason === 'cancelled' ? text.said.stopped : text.said.done,
  };
}

/** What to say after a change, if anything. Words as they stream are not said: nobody could follow them. */
export function announcement(before: Heard, now: Heard): string | undefined {
  if (now.isBusy && !before.isBusy) return text.said.generating;
  if (!now.isBusy && before.isBusy) return now.outcome;
  if (now.isBusy && now.calls.length > before.calls.length) return text.said.tool(now.calls.at(-1)!);
  return undefined;
}

/** What a screen reader should say of the session now. */
export function useAnnouncement(messages: Message[], isBusy: boolean, isPaused: boolean): string {
  const [said, say] = useState('');
  const before = useRef<Heard>(undefined);
  useEffect(() => {
    const now = hear(messages, isBusy, isPaused);
    const next = before.current && announcement(before.current, now);
    before.current = now;
    if (next) say(next);
  }, [messages, isBusy, isPaused]);
  return said;
}
