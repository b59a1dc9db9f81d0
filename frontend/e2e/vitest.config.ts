import { defineConfig } from 'vitest/config';

/** Tests of the whole program: in Chromium (browser), by the AI SDK's client (client), in the real window (window). */
export default defineConfig({
  cacheDir: '../node_modules/.vite', // not one of our own
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    environment: 'node',
    maxWorkers: 2, // each file starts a browser, and waits for much of its time
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000, interval: 25 } },
  },
});
