import { useState } from 'react';
import type { Format, Secret } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { idFor } from '../ui/id.ts';
import { useAttempt } from '../vault/attempt.ts';
import { ChoiceField, PlainField, Step, ValueField, valueOf } from './form.tsx';
import { secretsText } from './text.ts';

const said = secretsText.form;

/** Called when it is over, with what the person should know about what was done. */
type Done = (warnings: string[]) => void;

/** Where a person gives a value a name. */
export function AddSecret({ onDone }: { onDone: Done }) {
  const { client } = useParley();
  const attempt = useAttempt();
  const [name, rename] = useState('');
  const [slug, fix] = useState<string>();
  const [format, choose] = useState<Format>('text');
  const [scope, limit] = useState<keyof typeof said.scopes>('global');
  const shown = slug ?? idFor(name);
  const submit = async (form: HTMLFormElement) => {
    const secret = { name: name.trim(), slug: shown, global: scope === 'global', format, value: valueOf(form, 'value'), ...aboutIn(form) };
    await attempt.run(async () => onDone((await client.addSecret(secret)).warnings));
  };
  return (
    <Step title={said.new} attempt={attempt} label={said.save} onSubmit={form => void submit(form)} onCancel={() => onDone([])}>
      <div className="grid gap-4 sm:grid-cols-2">
        <PlainField name="name" label={said.name} required maxLength={128} data-focus value={name} onChange={event => rename(event.target.value)} />
        <PlainField name="slug" label={said.slug} required value={shown} onChange={event => fix(event.target.value)} spellCheck={false}>
          <p className="text-xs break-words text-faint">{said.slugSays(shown)}</p>
        </PlainField>
      </div>
      <ValueField name="value" label={said.value} isLong={format === 'json'}>
        {format === 'json' && <p className="text-xs text-faint">{said.jsonSays}</p>}
      </ValueField>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField label={said.format} value={format} options={said.formats} onChoose={choose} />
        <ChoiceField label={said.scope} value={scope} options={said.scopes} onChoose={limit} />
      </div>
      <About />
    </Step>
  );
}

/** Where a person changes what is said about a secret. */
export function EditSecret({ secret, onDone }: { secret: Secret; onDone: Done }) {
  const { client } = useParley();
  const attempt = useAttempt();
  const submit = async (form: HTMLFormElement) => {
    const change = { name: valueOf(form, 'name').trim(), ...aboutIn(form) };
    await attempt.run(async () => onDone((await client.changeSecret(secret, change)).warnings));
  };
  return (
    <Step title={said.change(secret.name)} attempt={attempt} label={said.save} onSubmit={form => void submit(form)} onCancel={() => onDone([])}>
      <PlainField name="name" label={said.name} required maxLength={128} data-focus defaultValue={secret.name}>
        <p className="text-xs break-words text-faint">{said.slugSays(secret.slug)}</p>
      </PlainField>
      <About secret={secret} />
    </Step>
  );
}

/** Where a person gives a secret another value. */
export function RotateSecret({ secret, onDone }: { secret: Secret; onDone: Done }) {
  const { client } = useParley();
  const attempt = useAttempt();
  const [format, choose] = useState(secret.format);
  const submit = async (form: HTMLFormElement) => {
    await attempt.run(async () => onDone((await client.changeSecret(secret, { value: valueOf(form, 'value'), format })).warnings));
  };
  return (
    <Step title={secretsText.rotate.title(secret.name)} attempt={attempt} label={secretsText.rotate.do} onSubmit={form => void submit(form)} onCancel={() => onDone([])}>
      <p className="text-sm text-soft">{secretsText.rotate.says}</p>
      <ValueField name="value" label={said.value} isLong={format === 'json'}>
        {format === 'json' && <p className="text-xs text-faint">{said.jsonSays}</p>}
      </ValueField>
      <ChoiceField label={said.format} value={format} options={said.formats} onChoose={choose} />
      {format !== secret.format && <p className="text-sm text-warn">{secretsText.rotate.format}</p>}
    </Step>
  );
}

/** Deletes a secret once the person has seen what breaks. */
export function RemoveSecret({ secret, onDone }: { secret: Secret; onDone: Done }) {
  const { client } = useParley();
  const attempt = useAttempt();
  const remove = async () => {
    await attempt.run(async () => {
      await client.removeSecret(secret);
      onDone([]);
    });
  };
  const { title, breaks, nothing, do: label } = secretsText.removing;
  return (
    <Step title={title(secret.name)} attempt={attempt} label={label} onSubmit={() => void remove()} onCancel={() => onDone([])}>
      {secret.references.length === 0 ? (
        <p className="text-sm text-soft">{nothing}</p>
      ) : (
        <div className="rounded-md border border-warn/30 bg-warn-tint px-3 py-2 text-sm text-warn">
          <p>{breaks}</p>
          <ul className="mt-1 list-disc ps-5 break-words">
            {secret.references.map(place => (
              <li key={`${place.kind}:${place.name}:${place.where}`}>{secretsText.places(place)}</li>
            ))}
          </ul>
        </div>
      )}
    </Step>
  );
}

/** What is said about a secret. */
function About({ secret }: { secret?: Secret }) {
  return (
    <>
      <PlainField name="description" label={said.description} placeholder={said.optional} defaultValue={secret?.description} />
      <div className="grid gap-4 sm:grid-cols-2">
        <PlainField name="tags" label={said.tags} placeholder={said.optional} defaultValue={secret?.tags.join(', ')} />
        <PlainField name="expires" type="date" label={said.expires} defaultValue={secret?.expires ? dayOf(secret.expires) : undefined} />
      </div>
    </>
  );
}

function aboutIn(form: HTMLFormElement) {
  const tags = valueOf(form, 'tags')
    .split(',')
    .map(tag => tag.trim())
    .filter(Boolean);
  return { description: valueOf(form, 'description').trim(), tags, expires: endOf(valueOf(form, 'expires')) };
}

/** The day as a date box has it, here. */
export function dayOf(time: number): string {
  const at = new Date(time);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(part => String(part).padStart(2, '0')).join('-');
}

/** The last moment of a day, here; 0 for none. */
export function endOf(day: string): number {
  return day ? new Date(`${day}T23:59:59`).getTime() : 0;
}
