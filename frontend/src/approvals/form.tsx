import { useId, useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { text } from '../ui/text.ts';

/** What a form asks for: the properties of an object, as its JSON Schema has them. */
export interface Field {
  name: string;
  label: string;
  hint: string | undefined;
  kind: 'text' | 'number' | 'integer' | 'check' | 'choice';
  choices: string[];
  isRequired: boolean;
}

type Filled = Record<string, string | boolean>;

const kinds: Record<string, Field['kind']> = { string: 'text', number: 'number', integer: 'integer', boolean: 'check' };

/** The fields of a schema; none, if it is no schema of an object whose properties a form can ask for. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = (schema ?? {}) as { properties?: unknown; required?: unknown };
  if (typeof properties !== 'object' || properties === null) return [];
  const fields = Object.entries(properties as Record<string, unknown>).map(([name, value]): Field | undefined => {
    const { type, title, description, enum: choices } = (value ?? {}) as Record<string, unknown>;
    const isChoice = Array.isArray(choices) && choices.every(choice => typeof choice === 'string');
    const kind = isChoice ? 'choice' : kinds[String(type)];
    if (!kind) return undefined;
    return {
      name,
      label: typeof title === 'string' ? title : name,
      hint: typeof description === 'string' ? description : undefined,
      kind,
      choices: isChoice ? choices : [],
      isRequired: Array.isArray(required) && required.includes(name),
    };
  });
  return fields.every(field => field !== undefined) ? fields : [];
}

/** What was filled in, as the schema has it. What was left empty is left out. */
export function filledIn(fields: Field[], filled: Filled): Record<string, unknown> {
  const entries = fields.map(({ name, kind }) => {
    const value = filled[name];
    if (kind === 'check') return [name, value === true];
    if (value === undefined || value === '') return undefined;
    return [name, kind === 'number' || kind === 'integer' ? Number(value) : value];
  });
  return Object.fromEntries(entries.filter(entry => entry !== undefined)) as Record<string, unknown>;
}

const box = 'h-8 w-full min-w-0 rounded-md border border-line-strong bg-raised px-2.5';

/** Asks for several things at once. */
export function Form({ fields, cannot, send, children }: { fields: Field[]; cannot: boolean; send: (value: unknown) => void; children: ReactNode }) {
  const [filled, fill] = useState<Filled>({});
  const id = useId();
  return (
    <form
      className="mt-2 flex flex-col gap-3"
      onSubmit={event => {
        event.preventDefault();
        if (!cannot) send(filledIn(fields, filled));
      }}
    >
      {fields.map(field => {
        const about = {
          id: `${id}-${field.name}`,
          required: field.isRequired,
          'aria-describedby': field.hint && `${id}-${field.name}-hint`,
        };
        const set = (value: string | boolean) => fill({ ...filled, [field.name]: value });
        return (
          <div key={field.name} className={field.kind === 'check' ? 'flex flex-row-reverse flex-wrap items-center justify-end gap-x-2' : 'flex flex-col gap-1'}>
            <label htmlFor={about.id} className="font-medium">
              {field.label}
              {!field.isRequired && field.kind !== 'check' && <span className="font-normal text-faint"> {text.question.optional}</span>}
            </label>
            <Input field={field} value={filled[field.name]} set={set} about={about} />
            {field.hint && (
              <p id={`${about.id}-hint`} className={`text-xs text-soft ${field.kind === 'check' ? 'order-first basis-full' : ''}`}>
                {field.hint}
              </p>
            )}
          </div>
        );
      })}
      <div className="flex gap-2">
        <Button type="submit">{text.question.send}</Button>
        {children}
      </div>
    </form>
  );
}

interface InputProps {
  field: Field;
  value: string | boolean | undefined;
  set: (value: string | boolean) => void;
  about: { id: string; required: boolean };
}

function Input({ field, value, set, about }: InputProps) {
  if (field.kind === 'check') {
    return <input {...about} required={false} type="checkbox" checked={value === true} onChange={event => set(event.target.checked)} className="size-4 accent-(--accent)" />;
  }
  const said = typeof value === 'string' ? value : '';
  if (field.kind === 'choice') {
    return (
      <select {...about} value={said} onChange={event => set(event.target.value)} className={box}>
        <option value="">{text.question.choose}</option>
        {field.choices.map(choice => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  const isText = field.kind === 'text';
  return (
    <input
      {...about}
      type={isText ? 'text' : 'number'}
      step={field.kind === 'integer' ? 1 : 'any'}
      dir="auto"
      value={said}
      onChange={event => set(event.target.value)}
      className={box}
    />
  );
}
