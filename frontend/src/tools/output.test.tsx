import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { text } from '../ui/text.ts';
import { Output } from './output.tsx';

beforeEach(() => vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true));
afterEach(() => vi.unstubAllGlobals());

test('of a very long text only what is seen is there, and what is scrolled to comes', async () => {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  const written = Array.from({ length: 30_000 }, (_, i) => `line ${i + 1}`).join('\n');
  await act(async () => root.render(<Output text={written} />));
  const lines = () => place.querySelector('pre')!.textContent.split('\n');
  expect([lines().length, lines()[0]]).toEqual([400, 'line 1']);
  const all = [...place.querySelectorAll('button')].find(button => button.textContent === text.showAll(30_000))!;
  await act(async () => all.click());
  expect(lines().length).toBeLessThan(400);
  const box = place.querySelector<HTMLElement>('[role=region]')!;
  await act(async () => {
    box.scrollTop = 20_000 * 20.8;
    box.dispatchEvent(new Event('scroll'));
  });
  expect(lines()).toContain('line 20001');
  expect(lines().length).toBeLessThan(400);
  await act(async () => root.unmount());
});
