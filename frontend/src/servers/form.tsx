import { useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { Server } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { SecretPicker } from '../secrets/picker.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { text } from '../ui/text.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import { toConfig, toWritten, type Written } from './written.ts';
import { serversText } from './text.ts';

const said = serversText.form;

interface ServerFormProps {
  /** None is a new one. */
  server?: Server | undefined;
  onDone: () => void;
}

/** Where a person writes how a server is reached, and what of it may be used. */
export function ServerForm({ server, onDone }: ServerFormProps) {
  const { client } = useParley();
  const [written, write] = useState(() => toWritten(server?.config));
  const { error, isRunning, run, refuse } = useAttempt();
  const change = (some: Partial<Written>) => write({ ...written, ...some });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const config = toConfig(written);
    if (typeof config === 'string') return refuse(config);
    if (await run(async () => void (await client.putServer(config)))) onDone();
  };
  const isProgram = written.transport === 'stdio';
  return (
    <Dialog title={server ? said.change(server.config.id) : said.new} isWide isKept>
      <form onSubmit={event => void submit(event)} className="mt-3 grid gap-4">
        {!server && <Line label={said.id} about={said.idSays} value={written.id} onWrite={id => change({ id })} />}
        <fieldset className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
          <legend className="mb-1 font-medium">{said.transport}</legend>
          {(['stdio', 'http'] as const).map(kind => (
            <label key={kind} className="flex items-center gap-2">
              <input type="radio" name="transport" checked={written.transport === kind} onChange={() => change({ transport: kind })} className="size-4 accent-(--accent)" />
              {said.kinds[kind]}
            </label>
          ))}
        </fieldset>
        {isProgram ? (
          <>
            <Line label={said.command} value={written.command} onWrite={command => change({ command })} />
            <Lines label={said.args} value={written.args} onWrite={args => change({ args })} />
            <Lines label={said.env} about={said.noSecrets} takesSecrets value={written.env} onWrite={env => change({ env })} />
          </>
        ) : (
          <>
            <Line label={said.url} value={written.url} onWrite={url => change({ url })} />
            <Lines label={said.headers} about={said.noSecrets} takesSecrets value={written.headers} onWrite={headers => change({ headers })} />
          </>
        )}
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" checked={written.isAll} onChange={event => change({ isAll: event.target.checked })} className="size-4 accent-(--accent)" />
          {said.all}
        </label>
        {!written.isAll && (
          <Lines label={said.some} about={server && server.tools.length > 0 && said.known(server.tools)} value={written.tools} onWrite={tools => change({ tools })} />
        )}
        <Problem error={error} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onDone}>{text.cancel}</Button>
          <Button type="submit" look="strong" disabled={isRunning}>
            {said.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface BoxProps {
  label: string;
  /** What is said under the box. */
  about?: ReactNode;
  value: string;
  onWrite: (written: string) => void;
}

const box = 'w-full rounded-md border border-line-strong bg-raised px-3 font-mono text-code -outline-offset-1';
const plain = { dir: 'ltr', spellCheck: false, autoCapitalize: 'none', autoComplete: 'off' } as const;

function Line({ label, about, value, onWrite }: BoxProps) {
  return (
    <Labelled label={label} about={about}>
      {ids => <input type="text" {...ids} {...plain} value={value} onChange={event => onWrite(event.target.value)} className={`h-9 ${box}`} />}
    </Labelled>
  );
}

interface LinesProps extends BoxProps {
  rows?: number;
  /** Whether references to secrets may be in it. */
  takesSecrets?: boolean;
}

export function Lines({ label, about, value, onWrite, rows = 2, takesSecrets = false }: LinesProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (reference: string) => {
    const { selectionStart, selectionEnd } = area.current!;
    onWrite(value.slice(0, selectionStart) + reference + value.slice(selectionEnd));
    area.current!.focus();
  };
  return (
    <Labelled label={label} about={about}>
      {ids => (
        <>
          <textarea ref={area} rows={rows} {...ids} {...plain} value={value} onChange={event => onWrite(event.target.value)} className={`resize-y py-2 ${box}`} />
          {takesSecrets && <SecretPicker label={label} onChoose={insert} />}
        </>
      )}
    </Labelled>
  );
}

function Labelled({ label, about, children }: { label: string; about?: ReactNode; children: (ids: { id: string; 'aria-describedby': string }) => ReactNode }) {
  const id = useId();
  return (
    <div className="grid gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-about` })}
      <p id={`${id}-about`} className="break-words text-soft empty:hidden">
        {about}
      </p>
    </div>
  );
}
