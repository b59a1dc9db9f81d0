import assert from 'node:assert/strict';
import { test as base, vi } from 'vitest';
import { Home, Served } from './program.ts';

/** Tests with a Parley of their own. Whatever they start must be gone at their end. */
export const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern what a fixture needs
  .extend('home', async ({}, { onCleanup }) => {
    const home = await Home.make();
    onCleanup(async () => {
      await vi.waitFor(async () => assert.deepEqual(await home.processes(), []), { timeout: 10_000 });
      await home.remove();
    });
    return home;
  })
  /** Starts Parley in the test's home, at an address if one is given, with more arguments. */
  .extend('serve', async ({ home }, { onCleanup }) => {
    const started: Served[] = [];
    onCleanup(async () => {
      for (const parley of started) await parley.stop();
    });
    return async (addr?: string, ...args: string[]) => {
      const parley = await Served.start(home, {}, addr, args);
      started.push(parley);
      return parley;
    };
  })
  .extend('parley', ({ serve }) => serve());
