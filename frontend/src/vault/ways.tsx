import { useEffect, useRef } from 'react';
import type { SlotType, State, Vault } from '../api/types.gen.ts';
import { useParley } from '../parley.ts';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { text } from '../ui/text.ts';
import { useAttempt } from './attempt.ts';
import { CodeField, PassphraseField } from './field.tsx';
import { Form, Problem, typedIn } from './form.tsx';

/** The ways to open a history that is not open, the first to be offered first. There always is one: to try again. */
export function waysOf({ state, accepts, slots }: Vault): [SlotType, ...SlotType[]] {
  const typed = (['passphrase', 'recovery_code'] as const).filter(way => accepts.includes(way));
  if (state === 'locked') return ['keychain', ...typed];
  const [first, ...rest] = state === 'needs_recovery_code' ? typed.toReversed() : typed;
  if (!first) return ['keychain'];
  return [first, ...rest, ...(slots.includes('keychain') ? (['keychain'] as const) : [])];
}

/** Opens the history in one way. */
export function Unlock({ way, state }: { way: SlotType; state: State }) {
  switch (way) {
    case 'keychain':
      return <ByKeychain isFirst={state === 'locked' || state === 'sleeping'} />;
    case 'passphrase':
      return <ByPassphrase />;
    case 'recovery_code':
      return <ByCode />;
  }
}

function ByKeychain({ isFirst }: { isFirst: boolean }) {
  const { vault } = useParley();
  const attempt = useAttempt();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current!.focus(), []);
  const label = attempt.error || !isFirst ? text.again : text.vault.unlock;
  return (
    <div className="grid justify-items-start gap-3">
      <Problem error={attempt.error} />
      <div className="flex gap-2">
        <Button ref={button} look={isFirst ? 'strong' : 'plain'} onClick={() => !attempt.isRunning && void attempt.run(signal => vault.unlock({}, signal))}>
          {attempt.isRunning && <Spinner className="size-3.5" />}
          {label}
        </Button>
        {attempt.isRunning && <Button onClick={attempt.cancel}>{text.cancel}</Button>}
      </div>
      <p role="status" className="text-sm text-soft empty:hidden">
        {attempt.isRunning && text.vault.waiting}
      </p>
    </div>
  );
}

function ByPassphrase() {
  const { vault } = useParley();
  const attempt = useAttempt();
  const submit = (form: HTMLFormElement) => {
    const passphrase = typedIn(form, 'passphrase');
    form.reset();
    if (passphrase) void attempt.run(() => vault.unlock({ passphrase }));
    else attempt.refuse(text.vault.passphrase.missing);
  };
  return (
    <Form attempt={attempt} onSubmit={submit} label={text.vault.unlock}>
      <PassphraseField name="passphrase" label={text.vault.passphrase.label} autoComplete="current-password" error={attempt.error} disabled={attempt.isRunning} />
    </Form>
  );
}

/** A code with a mistake stays, to be mended. */
function ByCode() {
  const { vault } = useParley();
  const attempt = useAttempt();
  const submit = (form: HTMLFormElement) => {
    const code = typedIn(form, 'code');
    if (code.trim()) void attempt.run(() => vault.unlock({ code }));
    else attempt.refuse(text.vault.code.missing);
  };
  return (
    <Form attempt={attempt} onSubmit={submit} label={text.vault.unlock}>
      <CodeField name="code" label={text.vault.code.label} error={attempt.error} disabled={attempt.isRunning}>
        <p>{text.vault.code.shape}</p>
      </CodeField>
    </Form>
  );
}
