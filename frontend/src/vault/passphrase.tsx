import { useState, type ReactNode } from 'react';
import { text } from '../ui/text.ts';
import { useAttempt } from './attempt.ts';
import { PassphraseField } from './field.tsx';
import { Form, typedIn } from './form.tsx';
import { shortest, strengthOf, type Strength } from './strength.ts';

interface NewPassphraseProps {
  label: string;
  onChosen: (passphrase: string, form: HTMLFormElement) => Promise<void>;
  /** What else there is to choose. */
  children?: ReactNode;
}

/** Has a passphrase chosen: typed twice, with what it is worth and what it costs to forget it. */
export function NewPassphrase({ label, onChosen, children }: NewPassphraseProps) {
  const attempt = useAttempt();
  const [strength, rate] = useState<Strength>();
  const isDifferent = attempt.error === text.vault.passphrase.different;
  const submit = (form: HTMLFormElement) => {
    const passphrase = typedIn(form, 'passphrase');
    if ([...passphrase].length < shortest) return attempt.refuse(text.vault.passphrase.short(shortest));
    if (passphrase !== typedIn(form, 'again')) return attempt.refuse(text.vault.passphrase.different);
    void attempt.run(() => onChosen(passphrase, form));
    form.reset();
    rate(undefined);
  };
  return (
    <Form attempt={attempt} onSubmit={submit} label={label}>
      <PassphraseField
        name="passphrase"
        label={text.vault.passphrase.new}
        autoComplete="new-password"
        error={isDifferent ? undefined : attempt.error}
        disabled={attempt.isRunning}
        onInput={event => rate(event.currentTarget.value ? strengthOf(event.currentTarget.value) : undefined)}
      >
        {strength ? <Meter strength={strength} /> : <p>{text.vault.passphrase.hint}</p>}
      </PassphraseField>
      <PassphraseField
        name="again"
        label={text.vault.passphrase.again}
        autoComplete="new-password"
        error={isDifferent ? attempt.error : undefined}
        disabled={attempt.isRunning}
      />
      <p className="rounded-md border border-warn/30 bg-warn-tint px-3 py-2 text-sm text-warn">{text.vault.passphrase.warning}</p>
      {children}
    </Form>
  );
}

const bars: Record<Strength, [lit: number, colour: string]> = {
  short: [1, 'bg-bad'],
  weak: [1, 'bg-bad'],
  fair: [2, 'bg-warn'],
  strong: [3, 'bg-good'],
};

function Meter({ strength }: { strength: Strength }) {
  const [lit, colour] = bars[strength];
  return (
    <p role="status" className="flex items-center gap-1">
      {[0, 1, 2].map(i => (
        <span key={i} className={`h-1 w-8 rounded-full ${i < lit ? colour : 'bg-line'}`} />
      ))}
      <span className="ms-1.5">{text.vault.passphrase.strength[strength]}</span>
    </p>
  );
}
