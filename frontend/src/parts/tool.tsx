import { Ban, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import type { Part } from '../chat/message.ts';
import { isToolPart, toCall, type Call } from '../tools/call.ts';
import { InputAndOutput } from '../tools/generic.tsx';
import { cardOf } from '../tools/registry.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { useSeconds, type Seen } from '../ui/time.ts';
import { Spinner } from '../ui/spinner.tsx';
import { text } from '../ui/text.ts';

interface ToolGroupProps {
  parts: Part[];
  live: boolean;
  seen: Seen;
}

/** Calls that were made one after the other. */
export function ToolGroup({ parts, live, seen }: ToolGroupProps) {
  return (
    <div className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {parts.filter(isToolPart).map(part => (
        <ToolRow key={part.toolCallId} {...toCall(part)} live={live} seen={seen} />
      ))}
    </div>
  );
}

/** One call: a line that says what it does, and all there is to know of it inside. */
const ToolRow = memo(function ToolRow({ live, seen, ...call }: Call & { live: boolean; seen: Seen }) {
  const isRunning = live && (call.state === 'running' || call.state === 'writing');
  const seconds = useSeconds(seen, call.id, isRunning);
  const card = cardOf(call.name);
  const target = card.target(call);
  return (
    <Disclosure
      className="px-3 py-0.5"
      icon={<StateIcon call={call} isRunning={isRunning} />}
      label={
        <>
          {card.verb(call)} {target !== undefined && <code className="font-mono text-ink">{target}</code>}
        </>
      }
      meta={isRunning ? text.seconds(seconds ?? 0) : card.meta?.(call)}
    >
      <CallBody call={call} />
    </Disclosure>
  );
});

function CallBody({ call }: { call: Call }) {
  return cardOf(call.name).body?.(call) ?? <InputAndOutput call={call} />;
}

function StateIcon({ call, isRunning }: { call: Call; isRunning: boolean }) {
  const Icon = call.state === 'failed' ? TriangleAlert : call.state === 'denied' ? Ban : cardOf(call.name).icon;
  if (isRunning) return <Spinner className="size-4 text-accent" />;
  return <Icon aria-hidden className={`size-4 shrink-0 ${call.error === undefined ? 'text-faint' : 'text-warn'}`} />;
}
