import { expect, test } from 'vitest';
import type { Session } from '../api/types.gen.ts';
import { byPeriod } from './group.ts';

const at = (...time: [number, number, number, number, number]) => new Date(...time).getTime();
const session = (id: string, updatedAt: number) => ({ id, updatedAt }) as Session;

test('sessions stand in the day in which something last happened, by the clock of the person', () => {
  const sessions = [
    session('later than now', at(2026, 2, 29, 12, 30)),
    session('after midnight', at(2026, 2, 29, 0, 0)),
    session('before midnight', at(2026, 2, 28, 23, 59)),
    session('a day with 23 hours ago', at(2026, 2, 28, 0, 0)),
    session('the day before', at(2026, 2, 27, 23, 59)),
    session('last year', at(2025, 5, 1, 12, 0)),
  ];
  const groups = byPeriod(sessions, new Date(2026, 2, 29, 12, 0));
  expect(groups.map(group => [group.period, ...group.sessions.map(({ id }) => id)])).toEqual([
    ['today', 'later than now', 'after midnight'],
    ['yesterday', 'before midnight', 'a day with 23 hours ago'],
    ['earlier', 'the day before', 'last year'],
  ]);
});

test('a period without sessions is left out', () => {
  expect(byPeriod([session('old', at(2020, 0, 1, 0, 0))], new Date(2026, 0, 1)).map(group => group.period)).toEqual(['earlier']);
  expect(byPeriod([], new Date())).toEqual([]);
});
