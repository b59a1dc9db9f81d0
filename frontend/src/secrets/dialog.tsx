import { FileInput, Plus } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { Secret, SecretList } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { SecretTab } from '../ui/dialogs.ts';
import { useStore } from '../ui/store.ts';
import { text } from '../ui/text.ts';
import { AddSecret, EditSecret, RemoveSecret, RotateSecret } from './edit.tsx';
import { ImportSecrets } from './import.tsx';
import { AddKey, Keys } from './keys.tsx';
import { SecretRow, type Change } from './row.tsx';
import { secretsText as said } from './text.ts';

type Doing = { what: 'list'; warnings: string[] } | { what: 'add' | 'import' | 'addKey' } | { what: Change; secret: Secret };

/** The named secrets, the keys of providers, and what can be done about them. */
export default function Secrets() {
  const { dialogs } = useParley();
  const opened = useStore(dialogs, ({ dialog }) => (dialog?.kind === 'secrets' ? dialog.tab : 'secrets'));
  const [tab, turnTo] = useState(opened);
  const [doing, start] = useState<Doing>({ what: 'list', warnings: [] });
  const back = (warnings: string[]) => start({ what: 'list', warnings });
  switch (doing.what) {
    case 'add':
      return <AddSecret onDone={back} />;
    case 'import':
      return <ImportSecrets onDone={() => back([])} />;
    case 'edit':
      return <EditSecret secret={doing.secret} onDone={back} />;
    case 'rotate':
      return <RotateSecret secret={doing.secret} onDone={back} />;
    case 'remove':
      return <RemoveSecret secret={doing.secret} onDone={back} />;
    case 'addKey':
      return <AddKey onDone={() => back([])} />;
  }
  return (
    <Dialog title={text.secrets} isWide>
      <div className="mt-3 flex gap-1 border-b border-line">
        {(Object.keys(said.tabs) as SecretTab[]).map(each => (
          <button
            key={each}
            type="button"
            aria-pressed={each === tab}
            onClick={() => turnTo(each)}
            className="-mb-px border-b-2 border-transparent px-2 pb-1.5 text-sm text-soft hover:text-ink aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-ink"
          >
            {said.tabs[each]}
          </button>
        ))}
      </div>
      {tab === 'secrets' ? <List warnings={doing.warnings} onStart={start} /> : <Keys onAdd={() => start({ what: 'addKey' })} />}
    </Dialog>
  );
}

interface ListProps {
  /** What there is to be said about what was just done. */
  warnings: string[];
  onStart: (doing: Doing) => void;
}

function List({ warnings, onStart }: ListProps) {
  const { client } = useParley();
  const [{ secrets, problem }, show] = useState<Partial<SecretList>>({});
  const failed = useCallback((error: Error) => show({ problem: error.message }), []);
  useEffect(() => void client.secrets().then(show, failed), [client, failed]);
  return (
    <>
      <p className="mt-3 text-sm text-soft">{said.says}</p>
      <p role="alert" className="mt-3 text-sm break-words text-bad empty:hidden">
        {problem}
      </p>
      <p role="status" className="mt-3 text-sm break-words text-warn empty:hidden">
        {warnings.join(' ')}
      </p>
      {secrets?.length === 0 && <p className="mt-4 text-sm text-soft">{said.none}</p>}
      <ul className="mt-2 max-h-[55vh] divide-y divide-line overflow-y-auto empty:hidden">
        {secrets?.map(secret => (
          <SecretRow key={`${secret.project}:${secret.slug}`} secret={secret} onChange={what => onStart({ what, secret })} />
        ))}
      </ul>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={() => onStart({ what: 'import' })}>
          <FileInput aria-hidden className="size-3.5" /> {said.import}
        </Button>
        <Button look="strong" data-focus onClick={() => onStart({ what: 'add' })}>
          <Plus aria-hidden className="size-3.5" /> {said.add}
        </Button>
      </div>
    </>
  );
}
