import { expect, test } from 'vitest';
import { doing } from './keys.ts';

const none = { keyCode: 0, isComposing: false, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false };
const idle = { isEmpty: false, isBusy: false, isPaused: false };
const busy = { ...idle, isBusy: true };
const paused = { ...idle, isPaused: true };

test.each<[string, Partial<typeof none> & { key: string }, typeof idle, ReturnType<typeof doing>]>([
  ['Enter sends', { key: 'Enter' }, idle, 'send'],
  ['Ctrl+Enter sends', { key: 'Enter', ctrlKey: true }, idle, 'send'],
  ['Enter while an answer comes sends, too: to the queue', { key: 'Enter' }, busy, 'send'],
  ['Ctrl+Enter while an answer comes sends now', { key: 'Enter', ctrlKey: true }, busy, 'sendNow'],
  ['Shift+Enter begins a line', { key: 'Enter', shiftKey: true }, idle, undefined],
  ['Enter that picks a word of an input method does not send', { key: 'Enter', isComposing: true }, idle, undefined],
  ['nor does it in Safari, which says so by the key code', { key: 'Enter', keyCode: 229 }, idle, undefined],
  ['↑ in an empty box brings back the last message', { key: 'ArrowUp' }, { ...idle, isEmpty: true }, 'recall'],
  ['↑ in a text moves the cursor', { key: 'ArrowUp' }, idle, undefined],
  ['Shift+↑ selects', { key: 'ArrowUp', shiftKey: true }, { ...idle, isEmpty: true }, undefined],
  ['Escape stops', { key: 'Escape' }, busy, 'stop'],
  ['Ctrl+Enter while the turn waits for the person sends now, too', { key: 'Enter', ctrlKey: true }, paused, 'sendNow'],
  ['Escape stops nothing that waits for the person: that takes the button', { key: 'Escape' }, paused, undefined],
  ['Escape does nothing when nothing runs', { key: 'Escape' }, idle, undefined],
  ['Escape that leaves an input method does not stop', { key: 'Escape', isComposing: true }, busy, undefined],
  ['letters are letters', { key: 'a' }, idle, undefined],
])('%s', (_, pressed, box, what) => {
  expect(doing({ ...none, ...pressed }, box)).toBe(what);
});
