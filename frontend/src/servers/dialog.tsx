import { FileInput, Plus } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { Server } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ServerForm } from './form.tsx';
import { ImportForm } from './import.tsx';
import { ServerRow } from './row.tsx';
import { text } from '../ui/text.ts';
import { serversText } from './text.ts';

type Doing = { what: 'list' } | { what: 'import' } | { what: 'edit'; server?: Server };

/** The list of MCP servers, and what can be done about it. */
export default function Servers() {
  const { client } = useParley();
  const [servers, show] = useState<Server[]>();
  const [problem, fail] = useState<string>();
  const [doing, turnTo] = useState<Doing>({ what: 'list' });
  const look = useCallback(
    () =>
      client.servers().then(
        list => (show(list.servers), fail(undefined)),
        (error: Error) => fail(error.message),
      ),
    [client],
  );
  useEffect(() => void look(), [look]);
  const back = () => {
    turnTo({ what: 'list' });
    void look();
  };
  if (doing.what === 'import') return <ImportForm onDone={back} />;
  if (doing.what === 'edit') return <ServerForm server={doing.server} onDone={back} />;
  return (
    <Dialog title={text.servers} isWide>
      <p className="mt-3 text-sm text-soft">{serversText.says}</p>
      <p role="alert" className="mt-3 text-sm break-words text-bad empty:hidden">
        {problem}
      </p>
      {servers?.length === 0 && <p className="mt-4 text-sm text-soft">{serversText.none}</p>}
      <ul className="mt-2 max-h-[60vh] divide-y divide-line overflow-y-auto empty:hidden">
        {servers?.map(server => (
          <ServerRow key={server.config.id} server={server} onEdit={() => turnTo({ what: 'edit', server })} onChanged={look} />
        ))}
      </ul>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={() => turnTo({ what: 'import' })}>
          <FileInput aria-hidden className="size-3.5" /> {serversText.import}
        </Button>
        <Button look="strong" onClick={() => turnTo({ what: 'edit' })}>
          <Plus aria-hidden className="size-3.5" /> {serversText.add}
        </Button>
      </div>
    </Dialog>
  );
}
