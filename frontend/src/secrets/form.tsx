import { Eye, EyeOff } from 'lucide-react';
import { useCallback, useRef, useState, type ClipboardEvent, type ComponentProps, type FormEvent, type ReactNode } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { text } from '../ui/text.ts';
import type { Attempt } from '../vault/attempt.ts';
import { useField, type FieldProps } from '../vault/field.tsx';
import { Problem } from '../vault/form.tsx';
import { secretsText } from './text.ts';

interface StepProps {
  title: string;
  attempt: Attempt;
  /** What the button says that takes what was typed. */
  label: string;
  /** Reads what was typed by `valueOf`: no state of the page holds it. */
  onSubmit: (form: HTMLFormElement) => void;
  onCancel: () => void;
  children: ReactNode;
}

/** A dialog in which something is typed, and taken or not. */
export function Step({ title, attempt: { isRunning, error }, label, onSubmit, onCancel, children }: StepProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isRunning) onSubmit(event.currentTarget);
  };
  return (
    <Dialog title={title} isWide isKept>
      <form onSubmit={submit} autoComplete="off" className="mt-3 grid gap-4">
        {children}
        <Problem error={error} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onCancel}>{text.cancel}</Button>
          <Button type="submit" look="strong" disabled={isRunning}>
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is in a box, to the letter. */
export function valueOf(form: HTMLFormElement, name: string): string {
  return (form.elements.namedItem(name) as HTMLInputElement).value;
}

type OwnProps = Omit<FieldProps, 'disabled'>;

/** A box for what is no secret. */
export function PlainField({ name, label, children, ...input }: OwnProps & Omit<ComponentProps<'input'>, 'className'>) {
  const { box, frame } = useField({ name, label, children, disabled: false }, 'h-9 pe-3');
  return frame(<input type="text" autoComplete="off" {...box} {...input} />);
}

interface ValueFieldProps extends OwnProps {
  /** Whether it has several lines from the start. */
  isLong?: boolean;
  /** Hears all of it whenever something was typed. */
  onTyped?: (typed: string) => void;
}

/** A masked box. It begins as a line, and grows for good when there are several: a box of one line would join them. */
export function ValueField({ isLong = false, onTyped, ...rest }: ValueFieldProps) {
  const [isShown, show] = useState(false);
  const [isGrown, grow] = useState(false);
  const typed = useRef(''); // taken along when one box takes the place of the other
  const hasLines = isLong || isGrown;
  const { box, frame } = useField({ ...rest, disabled: false }, `pe-10 ${hasLines ? 'block resize-y py-2 font-mono text-code' : 'h-9'}`);
  const takeOver = useCallback((next: HTMLInputElement | HTMLTextAreaElement | null) => {
    if (!next) return;
    next.value = typed.current;
    if (typed.current && document.activeElement === document.body) next.focus();
  }, []);
  const heard = (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    typed.current = event.currentTarget.value;
    if (typed.current.includes('\n')) grow(true);
    onTyped?.(typed.current);
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const said = event.clipboardData.getData('text/plain');
    if (!/\n[^]*\S/.test(said)) return;
    event.preventDefault();
    typed.current = said;
    grow(true);
  };
  return frame(
    <>
      {hasLines ? (
        <textarea
          ref={takeOver}
          rows={4}
          dir="ltr"
          autoComplete="off"
          onInput={heard}
          {...box}
          className={`${box.className} ${isShown ? '' : '[-webkit-text-security:disc]'}`}
        />
      ) : (
        <input ref={takeOver} type={isShown ? 'text' : 'password'} dir="ltr" autoComplete="off" onInput={heard} onPaste={paste} {...box} />
      )}
      <IconButton icon={isShown ? EyeOff : Eye} label={secretsText.form.show} aria-pressed={isShown} onClick={() => show(!isShown)} className="absolute end-1 top-1 size-7" />
    </>,
  );
}

interface ChoiceFieldProps<Value extends string> {
  label: string;
  value: Value;
  options: Record<Value, string>;
  onChoose: (value: Value) => void;
}

/** One of two. */
export function ChoiceField<Value extends string>({ label, value, options, onChoose }: ChoiceFieldProps<Value>) {
  return (
    <fieldset className="min-w-0 text-sm">
      <legend className="mb-1 font-medium">{label}</legend>
      {(Object.keys(options) as Value[]).map(option => (
        <label key={option} className="flex items-center gap-2 py-0.5">
          <input type="radio" name={label} checked={value === option} onChange={() => onChoose(option)} className="size-4 accent-(--accent)" />
          {options[option]}
        </label>
      ))}
    </fieldset>
  );
}
