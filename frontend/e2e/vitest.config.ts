import { defineConfig } from 'vitest/config';

/** Tests of the whole program: in Chromium (browser), by the AI SDK's client (client), in the real window (window). */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    environment: 'node',
    fileParallelism: false, // two cores, and each file starts a browser
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
