import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { Attempt } from './attempt.ts';

interface FormProps {
  attempt: Attempt;
  /** Reads what was typed by `typedIn`: no state of the page holds it. */
  onSubmit: (form: HTMLFormElement) => void;
  label: string;
  /** What else can be done. */
  other?: ReactNode;
  children: ReactNode;
}

/** Fields, and the button that takes them. The focus is where something has to be typed. */
export function Form({ attempt: { isRunning, error }, onSubmit, label, other, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isRunning) return;
    const find = (selector: string) => form.current!.querySelector<HTMLElement>(selector);
    find(error === undefined ? 'input, textarea' : '[aria-invalid=true]')?.focus();
  }, [isRunning, error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isRunning) onSubmit(event.currentTarget);
  };
  return (
    <form ref={form} onSubmit={submit} className="grid gap-4">
      {children}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="strong" disabled={isRunning}>
          {isRunning && <Spinner className="size-3.5" />}
          {label}
        </Button>
        {other}
      </div>
    </form>
  );
}

export function typedIn(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? '');
}

/** Why something failed, if it did. */
export function Problem({ error }: { error: string | undefined }) {
  if (!error) return null;
  return (
    <p role="alert" className="text-sm text-bad">
      {error}
    </p>
  );
}
