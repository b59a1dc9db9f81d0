import type { SlotType, Unlocking } from '../api/types.gen.ts';
import { text } from '../ui/text.ts';
import type { Attempt } from './attempt.ts';
import { CodeField, PassphraseField } from './field.tsx';
import { Problem, typedIn } from './form.tsx';

/** Boxes for what opens the history, where it is needed once more; and why it was not taken. */
export function Secrets({ asked, attempt: { isRunning, error } }: { asked: SlotType[]; attempt: Attempt }) {
  return (
    <>
      {asked.includes('passphrase') && (
        <PassphraseField name="passphrase" label={text.vault.passphrase.label} autoComplete="current-password" disabled={isRunning} />
      )}
      {asked.includes('recovery_code') && <CodeField name="code" label={text.vault.code.label} disabled={isRunning} />}
      <Problem error={error} />
    </>
  );
}

/** What was typed into them. */
export function givenIn(form: HTMLFormElement): Unlocking {
  return { passphrase: typedIn(form, 'passphrase') || undefined, code: typedIn(form, 'code') || undefined };
}
