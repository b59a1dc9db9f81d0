import { useEffect, useState } from 'react';

/** How long something has to be where it is before a click or a key can be meant for it, in milliseconds. */
export const moment = 500;

/** Whether a card has been answerable for a moment, and nothing took another place since then. */
export function useSettled(isAnswerable: boolean, since: number): boolean {
  const [settled, settle] = useState<number>();
  useEffect(() => {
    if (!isAnswerable) return;
    const timer = setTimeout(() => settle(since), moment);
    return () => clearTimeout(timer);
  }, [isAnswerable, since]);
  return isAnswerable && settled === since;
}
