import { CircleAlert, RotateCcw } from 'lucide-react';
import type { DataUIPart } from 'ai';
import { useContext } from 'react';
import { CanRetry } from '../chat/retry.ts';
import type { AgentError } from '../chat/message.ts';
import { moreTurns } from '../chat/session.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { text } from '../ui/text.ts';
import type { PartProps } from './registry.tsx';

/** Why the turn failed, what to do about it, and the button that does it. */
export function ErrorPart({ part, session }: PartProps<DataUIPart<{ 'agent-error': AgentError }>>) {
  const { code, message, remedy } = part.data;
  const canRetry = useContext(CanRetry);
  const { dialogs, list } = useParley();
  const limit = code === 'turn_limit' ? list.get(session.id)?.maxTurns : undefined;
  return (
    <div role="group" aria-label={text.error.title} className="flex gap-3 rounded-lg border border-bad/30 bg-bad-tint px-4 py-3 text-sm">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{message}</p>
        <p className="mt-0.5 text-soft">{remedy}</p>
        {canRetry && (
          <div className="mt-3 flex flex-wrap gap-2">
            {limit !== undefined && (
              <Button look="strong" onClick={() => void session.allowMore(limit)}>
                {text.error.allowMore(moreTurns)}
              </Button>
            )}
            {code === 'provider_auth' && <Button onClick={() => dialogs.showSecrets('keys')}>{text.secrets}</Button>}
            <Button onClick={() => void session.retry()}>
              <RotateCcw aria-hidden className="size-3.5" />
              {text.error.retry}
            </Button>
          </div>
        )}
      </div>
      <code className="shrink-0 self-start font-mono text-xs text-faint max-sm:hidden">{code}</code>
    </div>
  );
}
