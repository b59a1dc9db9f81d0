import { useEffect, useState } from 'react';

/** The time, looked up again after so many milliseconds each; undefined: not any more. */
export function useNow(every: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (every === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** When things began and ended, by name. */
export type Seen = Map<string, { began: number; ended?: number }>;

/** How many seconds something takes, or took. Undefined if this page did not see it happen. */
export function useSeconds(seen: Seen, name: string, isRunning: boolean): number | undefined {
  const now = useNow(isRunning ? 1_000 : undefined);
  useEffect(() => {
    const known = seen.get(name);
    if (isRunning && (!known || known.ended !== undefined)) seen.set(name, { began: Date.now() });
    if (!isRunning && known && known.ended === undefined) seen.set(name, { ...known, ended: Date.now() });
  }, [seen, name, isRunning]);
  const known = seen.get(name);
  if (!known) return isRunning ? 0 : undefined;
  return Math.max(0, Math.round(((known.ended ?? now) - known.began) / 1_000));
}
