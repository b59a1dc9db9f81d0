import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    // dist/index.html is the page of a clone that was never built, and committed: see embed.go.
    outDir: 'dist/app',
    emptyOutDir: true,
    // The policy of the page allows no data: URL but for images.
    assetsInlineLimit: 0,
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
  },
});
