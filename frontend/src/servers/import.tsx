import { useState, type FormEvent } from 'react';
import type { ServersImported } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { text } from '../ui/text.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import { Lines } from './form.tsx';
import { serversText } from './text.ts';

const said = serversText.importing;

/** Where a person pastes what another program has configured, and reads what came of it. */
export function ImportForm({ onDone }: { onDone: () => void }) {
  const { client } = useParley();
  const [written, write] = useState('');
  const [result, show] = useState<ServersImported>();
  const { error, isRunning, run } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => show(await client.importServers(written)));
  };
  return (
    <Dialog title={said.title} isWide isKept>
      <form onSubmit={submit} className="mt-3 grid gap-4">
        {result ? (
          <div role="status" className="grid gap-2 text-sm">
            <p className="break-words">{said.added(result.added)}</p>
            {result.leftOut.length > 0 && (
              <>
                <p>{said.leftOut}</p>
                <ul className="grid max-h-60 list-disc gap-1 overflow-y-auto ps-5 break-words text-soft">
                  {result.leftOut.map(({ id, why }) => (
                    <li key={id}>{why}</li>
                  ))}
                </ul>
              </>
            )}
          </div>
        ) : (
          <>
            <p className="text-sm text-soft">{said.says}</p>
            <Lines label={said.text} value={written} onWrite={write} rows={10} />
            <Problem error={error} />
          </>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button data-focus={result && true} look={result ? 'strong' : 'plain'} onClick={onDone}>
            {result ? said.done : text.cancel}
          </Button>
          {!result && (
            <Button type="submit" look="strong" disabled={isRunning}>
              {serversText.import}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
