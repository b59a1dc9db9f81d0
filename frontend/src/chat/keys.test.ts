import { expect, test } from 'vitest';
import { doing } from './keys.ts';

const none = { keyCode: 0, isComposing: false, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false };
const idle = { isEmpty: false, isBusy: false };

test.each<[string, Partial<typeof none> & { key: string }, typeof idle, ReturnType<typeof doing>]>([
  ['Enter sends', { key: 'Enter' }, idle, 'send'],
  ['Ctrl+Enter sends', { key: 'Enter', ctrlKey: true }, idle, 'send'],
  ['Enter while an answer comes sends, too: to the queue', { key: 'Enter' }, { isEmpty: false, isBusy: true }, 'send'],
  ['Ctrl+Enter while an answer comes sends now', { key: 'Enter', ctrlKey: true }, { isEmpty: false, isBusy: true }, 'sendNow'],
  ['Shift+Enter begins a line', { key: 'Enter', shiftKey: true }, idle, undefined],
  ['Enter that picks a word of an input method does not send', { key: 'Enter', isComposing: true }, idle, undefined],
  ['nor does it in Safari, which says so by the key code', { key: 'Enter', keyCode: 229 }, idle, undefined],
  ['↑ in an empty box brings back the last message', { key: 'ArrowUp' }, { isEmpty: true, isBusy: false }, 'recall'],
  ['↑ in a text moves the cursor', { key: 'ArrowUp' }, idle, undefined],
  ['Shift+↑ selects', { key: 'ArrowUp', shiftKey: true }, { isEmpty: true, isBusy: false }, undefined],
  ['Escape stops', { key: 'Escape' }, { isEmpty: false, isBusy: true }, 'stop'],
  ['Escape does nothing when nothing runs', { key: 'Escape' }, idle, undefined],
  ['Escape that leaves an input method does not stop', { key: 'Escape', isComposing: true }, { isEmpty: false, isBusy: true }, undefined],
  ['letters are letters', { key: 'a' }, idle, undefined],
])('%s', (_, pressed, box, what) => {
  expect(doing({ ...none, ...pressed }, box)).toBe(what);
});
