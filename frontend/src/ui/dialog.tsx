import { X } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useParley } from '../parley.ts';
import { Button, IconButton } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { printed, shortcuts } from './keys.ts';
import { useStore } from './store.ts';
import { text } from './text.ts';

/** The dialog that is open. */
export function DialogView() {
  const { dialogs } = useParley();
  const dialog = useStore(dialogs, state => state.dialog);
  switch (dialog?.kind) {
    case 'link':
      return <LinkDialog url={dialog.url} />;
    case 'shortcuts':
      return <ShortcutsDialog />;
  }
  return null;
}

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

function LinkDialog({ url }: { url: string }) {
  const { dialogs, host } = useParley();
  return (
    <Dialog title={text.link.title}>
      <div className="mt-3 flex items-start gap-1 rounded-md border border-line bg-sunken py-1.5 ps-3 pe-1">
        <code dir="ltr" className="max-h-40 min-w-0 flex-1 overflow-y-auto py-1 font-mono text-code break-all">
          {url}
        </code>
        <CopyButton content={() => url} label={text.copy(text.link.address)} className="size-7" />
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={() => dialogs.close()}>{text.cancel}</Button>
        <Button
          look="strong"
          data-focus
          onClick={() => {
            host.openLink(url);
            dialogs.close();
          }}
        >
          {text.link.open}
        </Button>
      </div>
    </Dialog>
  );
}

function ShortcutsDialog() {
  return (
    <Dialog title={text.keys.title}>
      <dl className="mt-3 grid grid-cols-[1fr_auto] items-center gap-y-2 text-sm">
        {Object.entries(shortcuts).map(([name, { keys, label }]) => (
          <div key={name} className="contents">
            <dt>{label}</dt>
            <dd className="flex gap-1 justify-self-end">
              {printed(keys[0]).map(key => (
                <kbd key={key} className="min-w-6 rounded border border-line-strong bg-sunken px-1.5 text-center font-sans text-xs leading-5 text-soft">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 border-t border-line pt-3 text-xs text-faint">{text.keys.composerHint}</p>
    </Dialog>
  );
}
