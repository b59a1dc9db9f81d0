import type { TextUIPart } from 'ai';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { OpenSession } from '../chat/session.ts';
import { TextPart } from './text.tsx';

beforeEach(() => vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true));
afterEach(() => vi.unstubAllGlobals());

test('words that the client writes into a part that it gave already are shown', async () => {
  const element = document.createElement('div');
  const root = createRoot(element);
  const show = (part: TextUIPart) => act(() => root.render(<TextPart id="t" part={part} live session={{} as OpenSession} />));
  const given: TextUIPart = { type: 'text', state: 'streaming', text: 'one' };
  await show(given);
  given.text += ' two';
  await show({ ...given });
  expect(element.textContent).toBe('one two');
  await act(() => root.unmount());
});
