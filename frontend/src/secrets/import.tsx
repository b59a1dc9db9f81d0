import { useState } from 'react';
import type { SecretsImported } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useAttempt } from '../vault/attempt.ts';
import { ChoiceField, Step, ValueField, valueOf } from './form.tsx';
import { secretsText } from './text.ts';

const said = secretsText.importing;

/** Where a person pastes a .env file, sees the names in it, and reads what came of it. */
export function ImportSecrets({ onDone }: { onDone: () => void }) {
  const { client } = useParley();
  const attempt = useAttempt();
  const [names, preview] = useState<string[]>();
  const [scope, limit] = useState<keyof typeof secretsText.form.scopes>('global');
  const [result, show] = useState<SecretsImported>();
  if (result) return <Imported result={result} onDone={onDone} />;
  const submit = (form: HTMLFormElement) => void attempt.run(async () => show(await client.importSecrets({ text: valueOf(form, 'text'), global: scope === 'global' })));
  return (
    <Step title={said.title} attempt={attempt} label={said.do} onSubmit={submit} onCancel={onDone}>
      <p className="text-sm text-soft">{said.says}</p>
      <ValueField name="text" label={said.text} isLong onTyped={typed => preview(namesIn(typed))} />
      <div role="status" className="text-sm empty:hidden">
        {names && <p className="text-soft">{names.length > 0 ? said.names(names.length) : said.noNames}</p>}
        {names && names.length > 0 && <p className="mt-1 max-h-32 overflow-y-auto font-mono text-code break-words">{names.join(', ')}</p>}
      </div>
      <ChoiceField label={secretsText.form.scope} value={scope} options={secretsText.form.scopes} onChoose={limit} />
    </Step>
  );
}

function Imported({ result: { made, refused }, onDone }: { result: SecretsImported; onDone: () => void }) {
  return (
    <Dialog title={said.title} isWide>
      <div role="status" className="mt-3 grid gap-2 text-sm">
        <p>{said.made(made.length)}</p>
        {made.length > 0 && <p className="font-mono text-code break-words">{made.map(({ slug }) => slug).join(', ')}</p>}
        <ul className="grid max-h-60 gap-1 overflow-y-auto break-words text-warn empty:hidden">
          {made.flatMap(({ name, warnings }) =>
            warnings.map(warning => (
              <li key={name + warning}>
                {name}: {warning}
              </li>
            )),
          )}
        </ul>
        {refused.length > 0 && (
          <>
            <p>{said.refused}</p>
            <ul className="grid max-h-60 list-disc gap-1 overflow-y-auto ps-5 break-words text-soft">
              {refused.map(({ line, why }) => (
                <li key={line}>{said.line(line, why)}</li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className="mt-4 flex justify-end">
        <Button look="strong" data-focus onClick={onDone}>
          {said.done}
        </Button>
      </div>
    </Dialog>
  );
}

/**
 * The names in the text of a .env file. A value that goes on over several lines is not taken, and none of its lines is a name: they
 * may be those of a private key. What the other lines are worth the door says.
 */
export function namesIn(file: string): string[] {
  const lines = file.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*("(?:\\[^]|[^"\\])*"|'[^']*')?/gm);
  return [...lines].filter(([, , quoted]) => !quoted?.includes('\n')).map(([, name]) => name!);
}
