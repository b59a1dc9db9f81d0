import type { KeySource, ReferenceKind, SecretReference } from '../api/types.gen.ts';
import type { SecretTab } from '../ui/dialogs.ts';
import { plural } from '../ui/plural.ts';

const placeKinds: Record<ReferenceKind, string> = { mcp: 'MCP server', agent: 'Agent', tool: 'Tool' };

/** What is said about named secrets, and the keys of providers. */
export const secretsText = {
  tabs: { secrets: 'Secrets', keys: 'Provider keys' } satisfies Record<SecretTab, string>,
  says: 'Values that your agents’ tools use by name. No model is told them, and the history does not keep them. The first use in a session asks you.',
  none: 'There are no secrets yet.',
  add: 'Add a secret',
  import: 'Import .env',

  project: 'This project only',
  hides: 'Stands in for the one for every project',
  expired: 'Expired',
  missing: 'Value missing',
  expires: (day: string) => `Until ${day}`,
  used: (day: string | undefined) => (day ? `Last used ${day}` : 'Never used'),
  fields: (names: string[]) => `Fields: ${names.join(', ')}`,

  reveal: (name: string) => `Show the value of ${name}`,
  hide: 'Hide it',
  hidesIn: (seconds: number) => `${seconds} s`,
  copy: (name: string) => `Copy the value of ${name}`,
  copied: 'Copied. The clipboard is emptied in a minute, unless this page is gone by then, or locked while you work elsewhere.',
  copiedForGood: 'Copied. This browser does not let Parley empty the clipboard: copy something else when you are done.',
  edit: 'Edit',
  replace: 'Replace',
  remove: 'Delete',
  one: (what: string, name: string) => `${what}: ${name}`,

  where: 'Where it is used',
  places: ({ kind, name, where }: SecretReference) => `${placeKinds[kind]} ${name}, ${where}`,
  noPlaces: 'Nothing refers to it.',
  uses: 'Uses',
  use: (tool: string, day: string) => `${tool} · ${day}`,
  noUses: 'No session has used it.',
  sweep: 'Mask it in the history',
  sweepSays: 'Puts its name in place of its values, wherever they were said before.',
  swept: ({ masked, busy }: { masked: number; busy: number }) =>
    [
      masked > 0 ? `Masked in ${plural(masked, 'place', 'places')}.` : busy === 0 && 'The history did not have it.',
      busy > 0 && `${plural(busy, 'session was', 'sessions were')} left out because an answer is not finished there. Mask it again later.`,
    ]
      .filter(Boolean)
      .join(' '),

  form: {
    new: 'Add a secret',
    change: (name: string) => `Edit ${name}`,
    name: 'Name',
    slug: 'Slug',
    slugSays: (slug: string) => (slug ? `Written {{secret:${slug}}} where it is used. It stays when you rename the secret.` : 'Small letters, digits and hyphens.'),
    value: 'Value',
    show: 'Show what is typed',
    format: 'Format',
    formats: { text: 'Text, as it is', json: 'JSON, with fields' },
    jsonSays: 'One flat object: {"user": "…", "password": "…"}. A field is written {{secret:slug.field}}.',
    scope: 'For',
    scopes: { global: 'Every project', project: 'This project only' },
    description: 'Description',
    tags: 'Tags, with commas between them',
    expires: 'Expires on',
    optional: 'optional',
    save: 'Save',
  },
  rotate: {
    title: (name: string) => `Replace the value of ${name}`,
    says: 'The next call uses the new value. The old one stays masked in whatever comes back.',
    format: 'References to fields work only while the format is JSON. What refers to it may break.',
    do: 'Replace value',
  },
  removing: {
    title: (name: string) => `Delete ${name}?`,
    breaks: 'These refer to it, and will fail until you change them:',
    nothing: 'Nothing refers to it.',
    do: 'Delete it',
  },
  picker: {
    insert: 'Insert a secret…',
    none: 'There is no secret to refer to. Store one under “Secrets and keys” first.',
  },
  importing: {
    title: 'Import from .env',
    says: 'Paste the text of a .env file. Each line becomes a secret.',
    text: 'Text of the file',
    names: (n: number) => `${plural(n, 'secret', 'secrets')} will be made:`,
    noNames: 'No line of it has a name and a value.',
    made: (n: number) => (n === 0 ? 'No secret was made.' : `${plural(n, 'secret was', 'secrets were')} made:`),
    refused: 'Not taken:',
    line: (line: number, why: string) => `Line ${line}: ${why}`,
    do: 'Import',
    done: 'Done',
  },

  keys: {
    says: 'With these, agents ask the models of providers. Only the one that a run needs leaves the keychain.',
    none: 'There are no keys yet.',
    add: 'Add a key',
    new: 'Add a provider key',
    provider: 'Provider',
    name: 'Name',
    nameSays: 'To tell several of one provider apart.',
    usual: 'default',
    value: 'Key',
    ends: (last4: string) => `ends in ${last4}`,
    from: { keychain: '', environment: 'From the environment' } satisfies Record<KeySource, string>,
    chosen: 'In use',
    choose: 'Use',
    check: 'Check',
    checking: 'Asking the provider…',
    one: (what: string, provider: string, name: string) => `${what}: ${provider} ${name}`,
    sure: 'Delete for good',
  },
};
