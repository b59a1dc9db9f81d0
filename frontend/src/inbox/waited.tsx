import { text } from '../ui/text.ts';
import { useNow } from '../ui/time.ts';

/** For how long something waits. */
export function Waited({ since }: { since: number }) {
  const now = useNow(30_000);
  return text.waits(Math.max(0, Math.floor((now - since) / 60_000)));
}
