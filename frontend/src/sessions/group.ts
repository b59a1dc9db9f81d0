import type { Session } from '../api/types.gen.ts';

const periods = ['today', 'yesterday', 'earlier'] as const;

/** Sorts sessions into the periods in which something last happened in them. A period without any is left out. */
export function byPeriod(sessions: Session[], now: Date): { period: (typeof periods)[number]; sessions: Session[] }[] {
  const midnight = (daysAgo: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
  const starts = { today: midnight(0), yesterday: midnight(1), earlier: -Infinity };
  const periodOf = (session: Session) => periods.find(period => session.updatedAt >= starts[period]);
  return periods
    .map(period => ({ period, sessions: sessions.filter(session => periodOf(session) === period) }))
    .filter(group => group.sessions.length > 0);
}
