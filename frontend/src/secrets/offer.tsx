import { RectangleEllipsis } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Credential } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { idFor } from '../ui/id.ts';
import { text } from '../ui/text.ts';
import { useAttempt } from '../vault/attempt.ts';
import { Problem } from '../vault/form.tsx';

/** How many milliseconds after the last key a text is looked at, and how long one is at least that may have a credential. */
const [lookAfter, shortest] = [150, 12];

interface Offer {
  /** What looks like a credential, if anything does that the person does not want to leave as it is. */
  found: Credential | undefined;
  /** Whether it is being stored. Until that is over nothing may be sent. */
  isRunning: boolean;
  error: string | undefined;
  store: () => void;
  leave: () => void;
}

/**
 * Looks for a credential in what is written. Stored as a named secret, it is mentioned by its name in the place of its value:
 * change is told how what is written by then becomes what stays.
 */
export function useCredential(written: string, change: (mention: (written: string) => string) => void): Offer {
  const { client, dialogs, toasts } = useParley();
  const [credentials, find] = useState<Credential[]>([]);
  const [left, leave] = useState<ReadonlySet<string>>(new Set());
  const { isRunning, error, run } = useAttempt();
  useEffect(() => {
    const asking = new AbortController();
    const look = () => void client.findCredentials(written, asking.signal).then(({ found }) => find(found), () => {});
    const timer = setTimeout(() => (written.length < shortest ? find([]) : look()), lookAfter);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [client, written]);
  const found = credentials.find(({ text: value }) => written.includes(value) && !left.has(value));
  const store = async ({ kind, text: value }: Credential) => {
    const { secrets } = await client.secrets();
    const name = freeName(kind, secrets.map(({ slug }) => slug));
    const { slug } = await client.addSecret({ name, slug: idFor(name), global: true, format: 'text', value });
    change(now => now.replaceAll(value, `[secret:${slug}]`));
    toasts.show(text.credential.stored(name), { label: text.credential.show, run: () => dialogs.showSecrets() });
  };
  return {
    found,
    isRunning,
    error,
    store: () => found && void run(() => store(found)),
    leave: () => found && leave(new Set(left).add(found.text)),
  };
}

/** A name for a credential of a kind, such as "a GitHub token". */
function freeName(kind: string, slugs: string[]): string {
  const name = kind.replace(/^an? /, '').replace(/^./, first => first.toUpperCase());
  let free = name;
  for (let n = 2; slugs.includes(idFor(free)); n++) free = `${name} ${n}`;
  return free;
}

/** Offers to store what looks like a credential. */
export function CredentialOffer({ found, isRunning, error, store, leave }: Offer) {
  return (
    <div role="status">
      {found && (
        <div className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-lg border border-warn/40 bg-warn-tint py-1.5 ps-4 pe-1.5 text-sm">
          <RectangleEllipsis aria-hidden className="size-4 shrink-0 text-warn" />
          <p className="min-w-48 flex-1">{text.credential.looks(found.kind)}</p>
          <Button disabled={isRunning} onClick={store}>
            {text.credential.store}
          </Button>
          <Button disabled={isRunning} onClick={leave}>
            {text.credential.leave}
          </Button>
          <Problem error={error} />
        </div>
      )}
    </div>
  );
}
