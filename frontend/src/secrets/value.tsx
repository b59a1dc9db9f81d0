import { EyeOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { useNow } from '../ui/time.ts';
import { secretsText as text } from './text.ts';

/** For how many milliseconds a value is shown. */
const shownFor = 30_000;

/** The value of a secret, which is hidden again soon, and as soon as nobody looks. */
export function Revealed({ value, onHide }: { value: string; onHide: () => void }) {
  const [until] = useState(() => Date.now() + shownFor);
  const left = Math.ceil((until - useNow(1_000)) / 1_000);
  useEffect(() => {
    if (left <= 0) onHide();
  }, [left, onHide]);
  useEffect(() => {
    const looked = () => document.hidden && onHide();
    document.addEventListener('visibilitychange', looked);
    return () => document.removeEventListener('visibilitychange', looked);
  }, [onHide]);
  return (
    <div className="mt-2 flex items-start gap-2 rounded-md border border-line bg-sunken py-1 ps-3 pe-1">
      <code dir="ltr" className="max-h-40 min-w-0 flex-1 overflow-y-auto py-1 font-mono text-code break-all whitespace-pre-wrap">
        {value}
      </code>
      <span aria-hidden className="py-1 text-xs text-faint tabular-nums">
        {text.hidesIn(left)}
      </span>
      <IconButton icon={EyeOff} label={text.hide} onClick={onHide} className="size-7" />
    </div>
  );
}
