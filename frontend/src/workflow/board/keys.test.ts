import { expect, test } from 'vitest';
import { commandOf, type Command } from './keys.ts';

const held = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test.each<[string, Partial<typeof held>, Command | undefined]>([
  ['ArrowDown', {}, { do: 'move', direction: 'down', extend: false }],
  ['ArrowLeft', { shiftKey: true }, { do: 'move', direction: 'left', extend: true }],
  ['ArrowUp', { altKey: true }, undefined], // the page's own
  ['Home', {}, { do: 'first' }],
  ['Enter', {}, { do: 'open' }],
  ['Backspace', {}, { do: 'delete' }],
  ['Escape', {}, { do: 'clear' }],
  ['c', {}, { do: 'connect' }],
  ['C', { shiftKey: true }, { do: 'connect' }],
  ['c', { ctrlKey: true }, undefined], // an event of its own
  ['a', {}, { do: 'add' }],
  ['a', { ctrlKey: true }, { do: 'all' }],
  ['f', { metaKey: true }, { do: 'find' }],
  ['z', { ctrlKey: true }, { do: 'undo' }],
  ['Z', { ctrlKey: true, shiftKey: true }, { do: 'redo' }],
  ['y', { ctrlKey: true }, { do: 'redo' }],
  ['-', {}, { do: 'out' }],
  ['-', { ctrlKey: true }, undefined], // the browser's own
  ['x', {}, undefined],
])('%s with %j', (key, more, command) => {
  expect(commandOf({ key, ...held, ...more })).toEqual(command);
});
