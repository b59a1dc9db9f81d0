import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Key, KeyChecked, KeyList } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import { PlainField, Step, ValueField, valueOf } from './form.tsx';
import { secretsText } from './text.ts';

const said = secretsText.keys;

/** The keys of providers, without their values. */
export function Keys({ onAdd }: { onAdd: () => void }) {
  const { client } = useParley();
  const [list, show] = useState<KeyList>();
  const { error, run } = useAttempt();
  const attempt = (asked: Promise<KeyList>) => void run(async () => show(await asked));
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once
  useEffect(() => attempt(client.keys()), []);
  const providers = [...new Set(list?.keys.map(({ provider }) => provider))];
  return (
    <>
      <p className="mt-3 text-sm text-soft">{said.says}</p>
      <Problem error={error} />
      {list?.keys.length === 0 && <p className="mt-4 text-sm text-soft">{said.none}</p>}
      <div className="max-h-[55vh] overflow-y-auto">
        {providers.map(provider => (
          <section key={provider} aria-label={provider} className="mt-4">
            <h3 className="text-xs font-medium text-faint">{provider}</h3>
            <ul className="divide-y divide-line">
              {list!.keys
                .filter(key => key.provider === provider)
                .map(key => (
                  <KeyRow key={`${key.source}:${key.name}`} of={key} attempt={attempt} />
                ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="mt-4 flex justify-end">
        <Button look="strong" onClick={onAdd}>
          <Plus aria-hidden className="size-3.5" /> {said.add}
        </Button>
      </div>
    </>
  );
}

function KeyRow({ of: { provider, name, last4, source, variable, chosen }, attempt }: { of: Key; attempt: (asked: Promise<KeyList>) => void }) {
  const { client } = useParley();
  const [checked, tell] = useState<KeyChecked>();
  const [isAsked, ask] = useState(false);
  const check = useAttempt();
  const isOurs = source === 'keychain';
  const label = (what: string) => said.one(what, provider, name);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 text-sm">
      <div className="me-auto min-w-0 grow basis-48">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium break-words">{isOurs ? name : said.from[source]}</span>
          {variable && <code className="font-mono text-xs break-all text-faint">{variable}</code>}
          {last4 && <span className="font-mono text-xs text-faint">{said.ends(last4)}</span>}
          {chosen && <span className="text-xs text-good">{said.chosen}</span>}
        </p>
        <p role="status" className={`empty:hidden ${checked && !checked.ok ? 'text-bad' : 'text-soft'}`}>
          {check.isRunning ? said.checking : checked?.message}
        </p>
        <Problem error={check.error} />
      </div>
      {isOurs && (
        <div className="flex flex-wrap gap-2">
          {!chosen && (
            <Button aria-label={label(said.choose)} onClick={() => attempt(client.chooseKey(provider, { name }))}>
              {said.choose}
            </Button>
          )}
          <Button aria-label={label(said.check)} disabled={check.isRunning} onClick={() => void check.run(async () => tell(await client.checkKey(provider, name)))}>
            {said.check}
          </Button>
          <Button
            aria-label={label(isAsked ? said.sure : secretsText.remove)}
            onClick={() => (isAsked ? attempt(client.removeKey(provider, name)) : ask(true))}
            onBlur={() => ask(false)}
            className={isAsked ? 'text-bad' : ''}
          >
            {isAsked ? said.sure : secretsText.remove}
          </Button>
        </div>
      )}
    </li>
  );
}

/** Where a person gives the key of a provider. */
export function AddKey({ onDone }: { onDone: () => void }) {
  const { client } = useParley();
  const [providers, list] = useState<string[]>([]);
  const [provider, choose] = useState<string>();
  const attempt = useAttempt();
  const { run } = attempt;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once
  useEffect(() => void run(async () => list((await client.keys()).providers)), []);
  const submit = async (form: HTMLFormElement) => {
    const key = { provider: provider ?? providers[0] ?? '', name: valueOf(form, 'name').trim(), value: valueOf(form, 'value').trim() };
    if (await attempt.run(async () => void (await client.putKey(key)))) onDone();
  };
  return (
    <Step title={said.new} attempt={attempt} label={secretsText.form.save} onSubmit={form => void submit(form)} onCancel={onDone}>
      <div className="grid gap-4 sm:grid-cols-2">
        <div className="min-w-0">
          <span aria-hidden className="text-sm font-medium">
            {said.provider}
          </span>
          <Select
            label={said.provider}
            value={provider ?? providers[0] ?? ''}
            options={providers.map(each => [each, each] as const)}
            onChoose={choose}
            className="mt-1 h-9 rounded-md border border-line-strong bg-raised text-sm"
          />
        </div>
        <PlainField name="name" label={said.name} required defaultValue={said.usual}>
          <p className="text-xs text-faint">{said.nameSays}</p>
        </PlainField>
      </div>
      <ValueField name="value" label={said.value} />
    </Step>
  );
}
