import { useEffect, useRef, useState, type ReactNode } from 'react';
import { CredentialOffer, useCredential } from '../secrets/offer.tsx';
import { isComposing } from '../ui/keys.ts';
import { TextArea } from '../ui/textarea.tsx';

interface EditorProps {
  label: string;
  content: string;
  /** What became of it before it went out of sight, if it did. Then it comes back where somebody may be writing elsewhere. */
  written?: string;
  onWrite: (written: string) => void;
  /** Whether a change can be kept now. */
  canSave?: boolean;
  /** Called once, with what it is now, or with nothing if it stays as it was. */
  onDone: (changed: string | undefined) => void;
  /** What stands under the text: the way out, by hand. */
  children: (done: () => void, cancel: () => void) => ReactNode;
}

/** Something that was written, while it is changed in its place. Enter keeps the change, Escape does not. */
export function Editor({ label, content, written: before, onWrite, canSave = true, onDone, children }: EditorProps) {
  const [written, write] = useState(before ?? content);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (before !== undefined) return;
    box.current!.focus();
    box.current!.setSelectionRange(content.length, content.length);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when it opens
  }, []);
  const change = (changed: string) => {
    write(changed);
    onWrite(changed);
  };
  const credential = useCredential(written, mention => box.current && change(mention(box.current.value)));
  const cancel = () => onDone(undefined);
  const done = () => {
    if (!canSave || credential.isRunning) return;
    const said = written.trim();
    onDone(said && said !== content ? said : undefined);
  };
  return (
    <div className="w-full rounded-2xl border border-accent bg-raised px-4 py-2.5 text-start">
      <CredentialOffer {...credential} />
      <TextArea
        ref={box}
        label={label}
        value={written}
        onWrite={change}
        onKeyDown={event => {
          if (isComposing(event.nativeEvent)) return;
          const key = event.key === 'Enter' && !event.shiftKey && !event.altKey ? done : event.key === 'Escape' ? cancel : undefined;
          if (!key) return;
          event.preventDefault();
          event.stopPropagation(); // Escape would stop the answer, too
          key();
        }}
      />
      <div className="mt-2 flex justify-end gap-2">{children(done, cancel)}</div>
    </div>
  );
}
