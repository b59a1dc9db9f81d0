import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParleyContext, type Parley } from '../parley.ts';
import { Dialogs } from './dialogs.ts';
import { later } from './later.tsx';
import { text } from './text.ts';
import { Toasts } from './toasts.ts';

let root: Root;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.spyOn(console, 'error').mockImplementation(() => {}); // React says what broke
  root = createRoot(document.body.appendChild(document.createElement('div')));
});

afterEach(async () => {
  await act(() => root.unmount());
  document.body.replaceChildren();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('a dialog that cannot be loaded takes nothing of the page with it, and is loaded the next time', async () => {
  const [dialogs, toasts] = [new Dialogs(), new Toasts()];
  let hasConnection = false;
  const Inbox = later('inbox', async () => {
    if (!hasConnection) throw new Error('Failed to fetch');
    return { default: () => 'what waits' };
  });
  await act(async () =>
    root.render(
      <ParleyContext value={{ dialogs, toasts } as Partial<Parley> as Parley}>
        the page, <Inbox />
      </ParleyContext>,
    ),
  );
  await act(async () => dialogs.showInbox());
  expect(document.body.textContent).toBe('the page, ');
  expect(dialogs.value.dialog).toBeUndefined();
  expect(toasts.value.toasts.map(({ message }) => message)).toEqual([text.broken.dialog]);
  hasConnection = true;
  await act(async () => dialogs.showInbox());
  expect(document.body.textContent).toBe('the page, what waits');
});
