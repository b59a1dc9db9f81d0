import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SecretClipboard } from './clipboard.ts';

let held: string;
const board = { read: async () => held, write: async (text: string) => void (held = text) };

beforeEach(() => {
  held = '';
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test('a secret is on the clipboard for a minute', async () => {
  expect(await new SecretClipboard(board).copy('hush')).toBe(true);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(held).toBe('hush');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(held).toBe('');
});

test('what was copied since then stays', async () => {
  await new SecretClipboard(board).copy('hush');
  held = 'a recipe';
  await vi.advanceTimersByTimeAsync(60_000);
  expect(held).toBe('a recipe');
});

test('a second secret has a minute of its own', async () => {
  const clipboard = new SecretClipboard(board);
  await clipboard.copy('one');
  await vi.advanceTimersByTimeAsync(50_000);
  await clipboard.copy('two');
  await vi.advanceTimersByTimeAsync(50_000);
  expect(held).toBe('two');
  await clipboard.clear();
  expect(held).toBe('');
});

test('a page that goes takes its secret along, and waits for no clipboard that does not answer', async () => {
  const clipboard = new SecretClipboard(board);
  await clipboard.copy('hush');
  await clipboard.drop();
  expect(held).toBe('');
  const silent = new SecretClipboard({ ...board, read: () => new Promise(() => {}) });
  void silent.copy('hush');
  await vi.advanceTimersByTimeAsync(0);
  const gone = vi.fn<() => void>();
  void silent.drop().then(gone);
  await vi.advanceTimersByTimeAsync(499);
  expect(gone).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(gone).toHaveBeenCalled();
});

test('where the clipboard cannot be read it is said, and nothing of another is emptied', async () => {
  const blind = new SecretClipboard({ ...board, read: () => Promise.reject(new Error('not allowed')) });
  expect(await blind.copy('hush')).toBe(false);
  held = 'a recipe';
  await vi.advanceTimersByTimeAsync(60_000);
  expect(held).toBe('a recipe');
});
