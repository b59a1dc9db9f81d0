import { useEffect, useState } from 'react';
import type { Secret } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Select } from '../ui/select.tsx';
import { secretsText } from './text.ts';

const said = secretsText.picker;

/** The references that there may be to secrets. One that is hidden by another of the project is out of reach. */
export function referencesTo(secrets: Secret[]): string[] {
  const hiding = new Set(secrets.filter(({ hides }) => hides).map(({ slug }) => slug));
  const reached = secrets.filter(({ slug, hides }) => hides || !hiding.has(slug));
  return reached.flatMap(({ slug, fields }) => [slug, ...fields.map(field => `${slug}.${field}`)]).map(name => `{{secret:${name}}}`);
}

/** The same, as far as they can be known; undefined until then. */
function useReferences(): string[] | undefined {
  const { client } = useParley();
  const [references, show] = useState<string[]>();
  useEffect(
    () =>
      void client.secrets().then(
        ({ secrets }) => show(referencesTo(secrets)),
        () => {},
      ),
    [client],
  );
  return references;
}

/** Offers references to secrets, and gives the one that is chosen. */
export function SecretPicker({ label, onChoose }: { label: string; onChoose: (reference: string) => void }) {
  const references = useReferences();
  if (references?.length === 0) return <p className="text-sm text-soft">{said.none}</p>;
  return (
    <Select
      label={`${said.insert}: ${label}`}
      value=""
      options={[['', said.insert], ...(references ?? []).map(reference => [reference, reference] as const)]}
      onChoose={onChoose}
      className="h-8 w-fit max-w-full text-sm"
    />
  );
}

/** The list of references that boxes offer which name it. */
export function References({ id }: { id: string }) {
  const references = useReferences();
  return (
    <datalist id={id}>
      {references?.map(reference => (
        <option key={reference}>{reference}</option>
      ))}
    </datalist>
  );
}
