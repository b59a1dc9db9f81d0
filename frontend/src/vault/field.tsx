import { Eye, EyeOff } from 'lucide-react';
import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { text } from '../ui/text.ts';
import { Problem } from './form.tsx';

interface FieldProps extends ComponentProps<'input'> {
  name: string;
  label: string;
  error?: string;
  /** What is said under the box. */
  children?: ReactNode;
}

/** A box for what nobody but the person may keep. */
function Field({ label, error, children, button, className, ...rest }: FieldProps & { button?: ReactNode }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
      </label>
      <div className="relative mt-1">
        <input
          id={id}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-about`}
          spellCheck={false}
          autoCapitalize="none"
          autoCorrect="off"
          className={`h-9 w-full rounded-md border border-line-strong bg-raised ps-3 text-ink -outline-offset-1 disabled:opacity-60 aria-invalid:border-bad ${className}`}
          {...rest}
        />
        {button}
      </div>
      <div id={`${id}-about`} className="text-sm text-soft *:mt-1.5">
        <Problem error={error} />
        {children}
      </div>
    </div>
  );
}

export function CodeField(props: FieldProps) {
  return <Field autoComplete="off" dir="ltr" className="pe-3 font-mono text-code" {...props} />;
}

export function PassphraseField(props: FieldProps & { autoComplete: 'current-password' | 'new-password' }) {
  const [isShown, show] = useState(false);
  const button = (
    <IconButton
      icon={isShown ? EyeOff : Eye}
      label={text.vault.passphrase.show}
      aria-pressed={isShown}
      onClick={() => show(!isShown)}
      className="absolute end-1 top-1 size-7"
    />
  );
  return <Field type={isShown ? 'text' : 'password'} dir="auto" className="pe-10" button={button} {...props} />;
}
