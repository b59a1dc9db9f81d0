import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass } from '../api/scripted.ts';
import { Keeping } from './keeping.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what was kept in a hurry is kept again if it may have come before what was under way', async () => {
  let unsaved: string | undefined = 'A';
  let shelf: string | undefined;
  const arrivals: (() => void)[] = [];
  const arrive = (what: string | undefined) => new Promise<void>(resolve => arrivals.push(() => ((shelf = what), resolve())));
  const keeping = new Keeping({ put: arrive, clear: () => arrive(undefined) }, () => unsaved, undefined, () => {});
  keeping.soon();
  await pass(500);
  unsaved = 'B';
  void keeping.flush({ urgent: true });
  arrivals[1]!();
  await pass();
  arrivals[0]!(); // the first was on its way for longer
  await pass();
  arrivals[2]?.();
  await pass();
  expect(shelf).toBe('B');
});

test('what is unsaved no more is cleared after what is under way, in a hurry, too', async () => {
  let unsaved: string | undefined = 'A';
  let shelf: string | undefined;
  let arrive: (() => void) | undefined;
  const clear = async () => void (shelf = undefined);
  const keeping = new Keeping({ put: what => new Promise<void>(resolve => (arrive = () => ((shelf = what), resolve()))), clear }, () => unsaved, undefined, () => {});
  keeping.soon();
  await pass(500);
  unsaved = undefined;
  void keeping.flush({ urgent: true });
  void keeping.flush();
  await pass();
  arrive!();
  await pass();
  expect(shelf).toBeUndefined();
});
