import { useEffect, useRef } from 'react';
import { isComposing } from '../ui/keys.ts';
import { text } from '../ui/text.ts';

interface RenameProps {
  title: string;
  /** Called once, with the new title, or with none if it stays. */
  onDone: (title: string | undefined) => void;
}

/** A title while it is changed. Enter and leaving keep the change, Escape does not. */
export function Rename({ title, onDone }: RenameProps) {
  const box = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => box.current?.select(), []);
  const done = (value: string | undefined) => {
    if (isDone.current) return;
    isDone.current = true;
    const name = value?.trim();
    onDone(name && name !== title ? name : undefined);
  };
  return (
    <input
      ref={box}
      defaultValue={title}
      aria-label={text.rename}
      maxLength={200}
      onBlur={event => done(event.target.value)}
      onKeyDown={event => {
        if (isComposing(event.nativeEvent)) return;
        if (event.key === 'Enter') done(event.currentTarget.value);
        if (event.key === 'Escape') done(undefined);
      }}
      className="w-full min-w-0 rounded-md border border-accent bg-raised px-1.5 py-0.5 text-sm outline-none"
    />
  );
}
