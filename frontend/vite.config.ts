import { gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** What the page may load before anything is seen, in compressed bytes of JavaScript. */
const budget = 250_000;

/** Says what the page loads at first, and refuses to build one that loads too much. */
function weigh(): Plugin {
  return {
    name: 'weigh',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(file => file.type === 'chunk');
      const first = new Set(chunks.filter(chunk => chunk.isEntry).map(chunk => chunk.fileName));
      for (const name of first) for (const needed of chunks.find(chunk => chunk.fileName === name)?.imports ?? []) first.add(needed);
      const size = chunks.filter(chunk => first.has(chunk.fileName)).reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0);
      this.info(`the page begins with ${(size / 1_000).toFixed(1)} kB of JavaScript, compressed; ${budget / 1_000} are allowed`);
      if (size > budget) this.error('the page begins with too much JavaScript: load some of it later');
    },
  };
}

export default defineConfig({
  plugins: [react(), tailwindcss(), weigh()],
  build: {
    // dist/index.html is the page of a clone that was never built, and committed: see embed.go.
    outDir: 'dist/app',
    emptyOutDir: true,
    // The policy of the page allows no data: URL but for images.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: Infinity, // see weigh
    // Everything needs React: taken apart for what needs a piece of it only, it would be larger.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'react', test: /\/node_modules\/(react|react-dom|scheduler)\// }] } } },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
  },
});
