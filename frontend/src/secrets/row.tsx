import { Copy, Eye } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { Secret, SecretSwept, SecretUse } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { hrefOf } from '../ui/route.ts';
import { text } from '../ui/text.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';
import { secretsText as said } from './text.ts';
import { Revealed } from './value.tsx';

/** What can be done about a secret that takes more than a click. */
export type Change = 'edit' | 'rotate' | 'remove';

const changes: Record<Change, string> = { edit: said.edit, rotate: said.replace, remove: said.remove };

/** One secret: what it is called, how it is, and, on demand, its value and who used it. */
export function SecretRow({ secret, onChange }: { secret: Secret; onChange: (what: Change) => void }) {
  const { client, host } = useParley();
  const attempt = useAttempt();
  const [value, show] = useState<string>();
  const [copied, tell] = useState<string>();
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => tell(undefined), 10_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const hide = useCallback(() => show(undefined), []);
  const { name, slug, description, tags, warnings } = secret;
  const reveal = () => void attempt.run(async () => show((await client.revealSecret(secret)).value));
  const copy = async () => {
    const isTakenOff = await host.copySecret((await client.revealSecret(secret)).value);
    tell(isTakenOff ? said.copied : said.copiedForGood);
  };
  return (
    <li className="py-3 text-sm">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="me-auto min-w-0 grow basis-56">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-words">{name}</span>
            <code className="font-mono text-xs break-all text-faint">{slug}</code>
          </p>
          {description && <p className="break-words text-soft">{description}</p>}
          <State secret={secret} />
          {tags.length > 0 && (
            <ul className="mt-1 flex flex-wrap gap-1.5">
              {tags.map(tag => (
                <li key={tag} className="rounded border border-line bg-sunken px-1.5 text-xs leading-5">
                  {tag}
                </li>
              ))}
            </ul>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-1">
          <IconButton icon={Eye} label={said.reveal(name)} aria-pressed={value !== undefined} onClick={() => (value === undefined ? reveal() : hide())} />
          <IconButton icon={Copy} label={said.copy(name)} onClick={() => void attempt.run(copy)} />
          {(Object.keys(changes) as Change[]).map(what => (
            <Button key={what} aria-label={said.one(changes[what], name)} onClick={() => onChange(what)} className="ms-1">
              {changes[what]}
            </Button>
          ))}
        </div>
      </div>
      {value !== undefined && <Revealed value={value} onHide={hide} />}
      <p role="status" className="mt-1 text-soft empty:hidden">
        {copied}
      </p>
      <Problem error={attempt.error} />
      {warnings.map(warning => (
        <p key={warning} className="mt-1 break-words text-warn">
          {warning}
        </p>
      ))}
      <Disclosure icon={null} label={said.where}>
        <Where secret={secret} />
      </Disclosure>
    </li>
  );
}

/** In a few words: whose it is, what it has, and until when. */
function State({ secret: { project, hides, state, fields, lastUsed, expires } }: { secret: Secret }) {
  return (
    <p className="text-xs break-words text-faint *:not-last:after:content-['_·_']">
      {state !== 'ok' && <span className="text-bad">{said[state]}</span>}
      {project && <span>{hides ? said.hides : said.project}</span>}
      {fields.length > 0 && <span>{said.fields(fields)}</span>}
      <span>{said.used(lastUsed ? text.when(lastUsed) : undefined)}</span>
      {expires && <span>{said.expires(text.when(expires))}</span>}
    </p>
  );
}

/** What refers to a secret, and what used it. */
function Where({ secret }: { secret: Secret }) {
  const { client, dialogs } = useParley();
  const [uses, list] = useState<SecretUse[]>();
  const [masked, count] = useState<SecretSwept>();
  const looked = useAttempt();
  const swept = useAttempt();
  const { run } = looked;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- it is looked up when it is opened
  useEffect(() => void run(async () => list((await client.secretUses(secret)).uses)), []);
  const sweep = () => void swept.run(async () => count(await client.sweepSecret(secret.slug)));
  return (
    <div className="grid gap-2 text-soft">
      <ul className="list-disc ps-5 break-words">
        {secret.references.map(place => (
          <li key={`${place.kind}:${place.name}:${place.where}`}>{said.places(place)}</li>
        ))}
      </ul>
      {secret.references.length === 0 && <p>{said.noPlaces}</p>}
      <section aria-label={said.uses}>
        <h3 className="text-xs font-medium text-faint">{said.uses}</h3>
        {uses?.length === 0 && <p>{said.noUses}</p>}
        <ul className="max-h-48 overflow-y-auto">
          {uses?.map(({ session, title, tool, at }) => (
            <li key={`${session}:${tool}:${at}`} className="flex flex-wrap gap-x-2">
              <a href={hrefOf(session)} onClick={() => dialogs.close()} className="min-w-0 truncate underline hover:text-ink">
                {title || text.untitled}
              </a>
              <span className="text-faint">{said.use(tool, text.when(at))}</span>
            </li>
          ))}
        </ul>
        <Problem error={looked.error} />
      </section>
      <div>
        <Button disabled={swept.isRunning} onClick={sweep}>
          {said.sweep}
        </Button>
        <p className="mt-1 text-xs text-faint">{said.sweepSays}</p>
        <p role="status" className="empty:hidden">
          {masked !== undefined && said.swept(masked)}
        </p>
        <Problem error={swept.error} />
      </div>
    </div>
  );
}
