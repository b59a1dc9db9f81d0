import { useState } from 'react';
import type { Server } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { serversText as text } from './text.ts';

interface ServerRowProps {
  server: Server;
  onEdit: () => void;
  /** Looks at the servers again. */
  onChanged: () => Promise<void>;
}

const colors: Record<Server['state'], string> = { not_started: 'text-faint', starting: 'text-soft', running: 'text-good', failed: 'text-bad' };

/** One server: how it is, what it offers, and what it wrote. */
export function ServerRow({ server: { config, state, reason, tools, log }, onEdit, onChanged }: ServerRowProps) {
  const { client } = useParley();
  const [isTrying, setTrying] = useState(false);
  const [said, say] = useState<string>();
  const failed = (error: Error) => say(error.message);
  const { id } = config;
  const tryIt = async () => {
    setTrying(true);
    say(undefined);
    await client.tryServer(id).then(now => now.state !== 'failed' && say(text.works(now.tools.length)), failed);
    setTrying(false);
    await onChanged();
  };
  const mayUse = (tool: string) => config.tools_allowlist?.includes(tool) ?? true;
  return (
    <li className="py-3 text-sm">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="me-auto min-w-0 basis-48 grow">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-all">{id}</span>
            <span className={`text-xs ${colors[state]}`}>{text.state[state]}</span>
          </p>
          <p dir="ltr" className="truncate font-mono text-xs text-faint">
            {config.url ?? [config.command, ...(config.args ?? [])].join(' ')}
          </p>
        </div>
        <div className="flex shrink-0 gap-2">
          <Button aria-label={text.tryOne(id)} disabled={isTrying} onClick={() => void tryIt()}>
            {text.tryIt}
          </Button>
          <Button aria-label={text.editOne(id)} onClick={onEdit}>
            {text.edit}
          </Button>
          <Button aria-label={text.removeOne(id)} onClick={() => void client.removeServer(id).then(onChanged, failed)}>
            {text.remove}
          </Button>
        </div>
      </div>
      {state === 'failed' && reason && <p className="mt-1 break-words text-bad">{reason.charAt(0).toUpperCase() + reason.slice(1)}</p>}
      <p role="status" className="mt-1 flex items-center gap-2 text-soft empty:hidden">
        {isTrying ? (
          <>
            <Spinner /> {text.trying}
          </>
        ) : (
          said
        )}
      </p>
      {tools.length > 0 && (
        <Disclosure icon={null} label={text.tools(tools.filter(mayUse).length, tools.length)}>
          <ul className="flex flex-wrap gap-1.5">
            {tools.map(tool => (
              <li key={tool} className={`rounded border border-line px-1.5 font-mono text-xs leading-5 break-all ${mayUse(tool) ? 'bg-sunken' : 'border-dashed text-faint'}`}>
                {tool}
                {!mayUse(tool) && <span className="sr-only"> ({text.notAllowed})</span>}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
      {log && (
        <Disclosure icon={null} label={text.log}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also by keys */}
          <pre tabIndex={0} aria-label={text.log} dir="ltr" className="max-h-48 overflow-auto rounded-md border border-line bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
            {log}
          </pre>
        </Disclosure>
      )}
    </li>
  );
}
