import { beforeEach, expect, test, vi } from 'vitest';
import { Draft } from './draft.ts';

/** What the server was asked to store, and how each request ends. */
let stored: string[];
let answers: (() => void)[];
const save = (text: string) => {
  stored.push(text);
  return new Promise<void>(resolve => answers.push(resolve));
};

beforeEach(() => {
  vi.useFakeTimers();
  stored = [];
  answers = [];
  return () => vi.useRealTimers();
});

test('is stored a moment after the last key', async () => {
  const draft = new Draft(save);
  for (const text of ['h', 'he', 'hel']) {
    draft.edit(text);
    await vi.advanceTimersByTimeAsync(399);
  }
  expect(stored).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(stored).toEqual(['hel']);
});

test('is stored by one request at a time', async () => {
  const draft = new Draft(save);
  draft.edit('one');
  void draft.flush();
  await vi.advanceTimersByTimeAsync(0);
  draft.edit('two');
  void draft.flush();
  await vi.advanceTimersByTimeAsync(0);
  expect(stored).toEqual(['one']);
  answers[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(stored).toEqual(['one', 'two']);
});

test('what is sent is not stored after it', async () => {
  const draft = new Draft(save);
  draft.edit('hello');
  void draft.flush();
  await vi.advanceTimersByTimeAsync(0);
  draft.edit('hello!');
  const taken = draft.take();
  expect(draft.value.text).toBe('');
  let isTaken = false;
  void taken.then(() => (isTaken = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isTaken).toBe(false); // before the request that stores "hello" has ended
  answers[0]!();
  expect(await taken).toBe('hello!');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stored).toEqual(['hello']);
});

test('what could not be stored is tried again', async () => {
  let fails = true;
  const draft = new Draft(text => {
    stored.push(text);
    return fails ? Promise.reject(new Error('no connection')) : Promise.resolve();
  });
  draft.edit('kept');
  await draft.flush();
  fails = false;
  await draft.flush();
  await draft.flush();
  expect(stored).toEqual(['kept', 'kept']);
});

test('what is stored does not replace what was typed meanwhile', () => {
  const draft = new Draft(save);
  draft.edit('typed');
  draft.restore('stored');
  expect(draft.value.text).toBe('typed');
  const untouched = new Draft(save);
  untouched.restore('stored');
  expect(untouched.value.text).toBe('stored');
});

test('what could not be sent comes back before what was typed since', () => {
  const draft = new Draft(save);
  draft.edit('second');
  draft.giveBack('first');
  expect(draft.value.text).toBe('first\nsecond');
});
