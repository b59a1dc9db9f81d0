import { expect, test } from 'vitest';
import { find, Keys } from './keys.ts';

/** Presses a key in an element of this kind. */
function press(init: KeyboardEventInit, tag = 'div'): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
  const target = document.body.appendChild(document.createElement(tag));
  target.dispatchEvent(event);
  return event;
}

test('Mod is Cmd on a Mac and Ctrl elsewhere', () => {
  const ctrl = press({ key: 'b', ctrlKey: true });
  expect([find(ctrl, false), find(ctrl, true)]).toEqual(['sidebar', undefined]);
  const cmd = press({ key: 'b', metaKey: true });
  expect([find(cmd, false), find(cmd, true)]).toEqual([undefined, 'sidebar']);
});

test('a key without a modifier is a letter where a person writes', () => {
  expect(find(press({ key: '?' }), false)).toBe('help');
  expect(find(press({ key: '?' }, 'textarea'), false)).toBeUndefined();
  expect(find(press({ key: 'l', ctrlKey: true }, 'textarea'), false)).toBe('composer');
});

test('whoever bound a shortcut last is called', () => {
  const called: string[] = [];
  const keys = new Keys(window);
  keys.bind('stop', () => called.push('first'));
  const unbind = keys.bind('stop', () => called.push('second'));
  expect(press({ key: '.', ctrlKey: true }).defaultPrevented).toBe(true);
  unbind();
  press({ key: '.', ctrlKey: true });
  expect(called).toEqual(['second', 'first']);
  expect(press({ key: 'ArrowUp', altKey: true }).defaultPrevented).toBe(false);
});
