import { act, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandList, useCommands } from './commands.tsx';

const commands = [{ name: 'review', description: 'Looks' }, { name: 'Recap' }, { name: 'plan' }];

function Box() {
  const [draft, write] = useState('');
  const completion = useCommands(draft, commands, write);
  return (
    <>
      <CommandList {...completion} />
      <textarea value={draft} onChange={event => write(event.target.value)} onKeyDown={event => completion.pressed(event) && event.preventDefault()} />
    </>
  );
}

let place: HTMLElement;
let leave: () => void;

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  leave = () => act(() => root.unmount());
  await act(async () => root.render(<Box />));
});

afterEach(() => {
  leave();
  vi.unstubAllGlobals();
});

const box = () => place.querySelector('textarea')!;
const offered = () => [...place.querySelectorAll('[role=option]')].map(option => `${option.getAttribute('aria-selected') === 'true' ? '> ' : ''}${option.firstChild!.textContent}`);
const write = (draft: string) =>
  act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(box(), draft);
    box().dispatchEvent(new Event('input', { bubbles: true }));
  });
/** Presses a key, and says whether it was for the list. */
const press = async (key: string, init: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  await act(async () => void box().dispatchEvent(event));
  return event.defaultPrevented;
};

test('a slash offers the commands that begin like what follows it, and nothing else does', async () => {
  for (const [draft, want] of [
    ['/', ['> /review', '/Recap', '/plan']],
    ['/RE', ['> /review', '/Recap']],
    ['/x', []],
    ['/plan', []],
    ['/plan ', []],
    ['a /re', []],
    ['', []],
  ] as const) {
    await write(draft);
    expect(offered(), draft).toEqual(want);
    expect(await press('Enter'), draft).toBe(want.length > 0);
  }
});

test('the keys choose one, and write it out', async () => {
  await write('/re');
  await press('ArrowUp');
  expect(offered()).toEqual(['/review', '> /Recap']);
  await press('ArrowDown');
  expect(offered()).toEqual(['> /review', '/Recap']);
  expect(await press('Enter', { isComposing: true })).toBe(false);
  expect(await press('Enter', { shiftKey: true })).toBe(false);
  expect(await press('Tab')).toBe(true);
  expect(box().value).toBe('/review ');
});

test('one that is clicked is written out', async () => {
  await write('/');
  await act(async () => place.querySelectorAll<HTMLElement>('[role=option]')[2]!.click());
  expect(box().value).toBe('/plan ');
});

test('Escape puts them away until something else is written', async () => {
  await write('/re');
  expect(await press('Escape')).toBe(true);
  expect(offered()).toEqual([]);
  expect(await press('Escape')).toBe(false);
  await write('/rec');
  expect(offered()).toEqual(['> /Recap']);
});
