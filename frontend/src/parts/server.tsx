import type { DataUIPart } from 'ai';
import { Unplug } from 'lucide-react';
import type { MissingServer } from '../chat/message.ts';
import { useParley } from '../parley.ts';
import { text } from '../ui/text.ts';
import type { PartProps } from './registry.tsx';

/** An MCP server that the agent had to do without. */
export function ServerPart({ part }: PartProps<DataUIPart<{ mcp: MissingServer }>>) {
  const { dialogs } = useParley();
  const { server, reason = '' } = part.data;
  return (
    <p className="flex items-start gap-2 text-xs text-warn">
      <Unplug aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        {text.withoutServer(server, reason)}{' '}
        <button type="button" onClick={() => dialogs.showServers()} className="underline hover:text-ink">
          {text.servers}
        </button>
      </span>
    </p>
  );
}
