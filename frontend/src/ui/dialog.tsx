import { X } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useParley } from '../parley.ts';
import { IconButton } from './button.tsx';
import { text } from './text.ts';

interface DialogProps {
  title: string;
  /** Whether only its buttons close it: a key, or a click beside it, could mean something to be lost. */
  isKept?: boolean;
  isWide?: boolean;
  /** Whether it is as large as what is in it. */
  fits?: boolean;
  children: ReactNode;
}

export function Dialog({ title, isKept = false, isWide = false, fits = false, children }: DialogProps) {
  const { dialogs } = useParley();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current!.showModal();
    element.current!.querySelector<HTMLElement>('[data-focus]')?.focus();
  }, []);
  return (
    // A click beside the box is a click on the dialog itself, which is only there as its backdrop.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- Escape closes it
    <dialog
      ref={element}
      aria-label={title}
      onClose={() => dialogs.close()}
      onClick={event => !isKept && event.target === element.current && element.current.close()}
      onKeyDown={event => isKept && event.key === 'Escape' && event.preventDefault()}
      className={`m-auto ${fits ? 'w-fit max-w-[calc(100vw-2rem)]' : isWide ? 'w-[min(40rem,calc(100vw-2rem))]' : 'w-[min(28rem,calc(100vw-2rem))]'} rounded-xl border border-line bg-raised text-ink shadow-pop backdrop:bg-[oklch(0_0_0/0.4)]`}
    >
      <div className="p-5">
        <div className="flex items-center justify-between">
          <h2 className="text-base font-semibold">{title}</h2>
          <IconButton icon={X} label={text.close} onClick={() => element.current?.close()} className="-me-1.5 size-7" />
        </div>
        {children}
      </div>
    </dialog>
  );
}
