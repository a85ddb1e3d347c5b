// Builds the dashboard (src/dashboard) into static files in dist/dashboard, which the service serves below /admin/.
import { defineConfig } from 'vite';

/** For `npm run dev`, which serves the page on a port of its own. */
const service = `http://localhost:${process.env['PORT'] || 8080}`;

export default defineConfig({
  root: 'src/dashboard',
  base: '/admin/',
  cacheDir: '../../node_modules/.cache/vite',
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    // The Content-Security-Policy refuses `data:` addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    target: 'es2023',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Mantine marks its files for React's server components, which this page has none of.
      onLog: (level, log, handler) => void (log.code === 'MODULE_LEVEL_DIRECTIVE' || handler(level, log)),
    },
  },
  server: { port: 5173, proxy: { '/admin/graphql/': service }, strictPort: true },
});
