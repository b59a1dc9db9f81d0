import { expect, test } from 'vitest';
import type { Message } from './message.ts';
import { toTurns } from './turns.ts';

const message = (id: string, role: Message['role']): Message => ({ id, role, parts: [] });
const [u1, a1, u2, a2] = [message('u1', 'user'), message('a1', 'assistant'), message('u2', 'user'), message('a2', 'assistant')];

test('a turn is a question and its answers', () => {
  expect(toTurns([u1, a1, a2, u2])).toEqual([
    { key: 'u1', asked: u1, answers: [a1, a2] },
    { key: 'u2', asked: u2, answers: [] },
  ]);
});

test('a session may begin with an answer', () => {
  expect(toTurns([a1, u2])).toEqual([
    { key: 'a1', asked: undefined, answers: [a1] },
    { key: 'u2', asked: u2, answers: [] },
  ]);
});

test('what did not change is the same object', () => {
  const before = toTurns([u1, a1, u2, a2]);
  const after = toTurns([u1, a1, u2, { ...a2 }], before);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
  const earlier = toTurns([message('u0', 'user'), u1, a1, u2, a2], before);
  expect(earlier.slice(1)).toEqual(before);
  expect(earlier[1]).toBe(before[0]);
});
