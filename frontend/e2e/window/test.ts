import { test as base } from '../test.ts';
import { Desktop } from './desktop.ts';
import { ParleyWindow } from './window.ts';

/** Tests with a Parley of their own, in its window, on a desktop that they share. */
export const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
  .extend('desktop', { scope: 'file' }, async ({}, { onCleanup }) => {
    const desktop = await Desktop.start();
    onCleanup(() => desktop.stop());
    return desktop;
  })
  /** Opens a window over the test's home. */
  .extend('open', async ({ home, desktop }, { onCleanup }) => {
    const opened: ParleyWindow[] = [];
    onCleanup(async () => {
      for (const window of opened) {
        window.terminate();
        await window.ended();
      }
    });
    return async () => {
      const window = await ParleyWindow.open(home, desktop);
      opened.push(window);
      return window;
    };
  })
  .extend('window', ({ open }) => open());
