import { Eye, EyeOff } from 'lucide-react';
import { useId, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { text } from '../ui/text.ts';
import { Problem } from './form.tsx';

export interface FieldProps {
  name: string;
  label: string;
  error?: string;
  disabled: boolean;
  /** What is said under the box. */
  children?: ReactNode;
}

/** What every box for a secret has: what it is called, what is said about it, and nothing that would keep or correct it. */
export function useField({ name, label, error, disabled, children }: FieldProps, className: string) {
  const id = useId();
  const box = {
    id,
    name,
    disabled,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-about`,
    spellCheck: false,
    autoCapitalize: 'none',
    autoCorrect: 'off',
    className: `w-full rounded-md border border-line-strong bg-raised ps-3 text-ink -outline-offset-1 disabled:opacity-60 aria-invalid:border-bad ${className}`,
  };
  const frame = (content: ReactNode) => (
    <div>
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
      </label>
      <div className="relative mt-1">{content}</div>
      <div id={`${id}-about`} className="text-sm text-soft *:mt-1.5">
        <Problem error={error} />
        {children}
      </div>
    </div>
  );
  return { box, frame };
}

interface CodeFieldProps extends FieldProps {
  onInput?: (event: FormEvent<HTMLTextAreaElement>) => void;
}

/** Shows all of what is typed: a wrong group has to be found in it. Enter takes it. */
export function CodeField({ onInput, ...rest }: CodeFieldProps) {
  const { box, frame } = useField(rest, 'block resize-none py-2 pe-3 font-mono text-code uppercase');
  return frame(<textarea rows={3} dir="ltr" autoComplete="off" onInput={onInput} onKeyDown={submitOnEnter} {...box} />);
}

function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  event.currentTarget.form!.requestSubmit();
}

/** Takes words that are to be typed as they stand somewhere. They are no secret. */
export function ConfirmField(props: FieldProps) {
  const { box, frame } = useField(props, 'h-9 pe-3');
  return frame(<input type="text" autoComplete="off" {...box} />);
}

interface PassphraseFieldProps extends FieldProps {
  autoComplete: 'current-password' | 'new-password';
  onInput?: (event: FormEvent<HTMLInputElement>) => void;
}

export function PassphraseField({ autoComplete, onInput, ...rest }: PassphraseFieldProps) {
  const [isShown, show] = useState(false);
  const { box, frame } = useField(rest, 'h-9 pe-10');
  return frame(
    <>
      <input type={isShown ? 'text' : 'password'} dir="auto" autoComplete={autoComplete} onInput={onInput} {...box} />
      <IconButton
        icon={isShown ? EyeOff : Eye}
        label={text.vault.passphrase.show}
        aria-pressed={isShown}
        onClick={() => show(!isShown)}
        className="absolute end-1 top-1 size-7"
      />
    </>,
  );
}
