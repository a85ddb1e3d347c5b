// A step of `npm run build`: copies what the generated Prisma client loads into dist/, so that production installs no Prisma package.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const compiler = 'runtime/query_compiler_fast_bg.postgresql';

/**
 * `@prisma/client` has the query compilers of five databases (71 MiB, of which one takes 5) and brings, as optional peers
 * that npm does not leave out, Prisma's command line and the TypeScript compiler (247 MiB).
 */
export const carriedFiles = {
  '@prisma/client': ['package.json', 'LICENSE', 'runtime/client.js', `${compiler}.mjs`, `${compiler}.wasm-base64.mjs`],
  '@prisma/client-runtime-utils': ['package.json', 'LICENSE', 'dist/index.js'],
};

/** Node looks into `dist/node_modules` first for a file below `dist/`. */
function carryClient(dist) {
  for (const [name, files] of Object.entries(carriedFiles)) {
    const folder = `${dist}/node_modules/${name}`;
    rmSync(folder, { recursive: true, force: true });
    for (const file of files) {
      mkdirSync(`${folder}/${file}`.replace(/\/[^/]+$/, ''), { recursive: true });
      cpSync(fileURLToPath(new URL(`../node_modules/${name}/${file}`, import.meta.url)), `${folder}/${file}`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  carryClient(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)));
