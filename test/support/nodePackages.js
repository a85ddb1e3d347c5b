// Transforms packages for jest: Node loads each package once per worker process, and the module that jest sees exports Node's copy.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const nodesRequire = createRequire(import.meta.url);

/** Globals that packages set while they loaded. They stay, because no package is loaded again. */
export const globalsOfPackages = new Set();

export function loadPackage(file) {
  const before = new Set(Reflect.ownKeys(globalThis));
  const loaded = nodesRequire(file);
  for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) globalsOfPackages.add(key);
  return loaded;
}

export default {
  process: (source, file, options) => ({ code: handingOn(source, file, options) }),
  // The cache key covers the generated code: a package's exports may change through another of its files.
  getCacheKey: (source, file, options) =>
    createHash('sha1')
      .update(handingOn(source, file, options))
      .digest('hex'),
};

function handingOn(source, file, { supportsDynamicImport, supportsStaticESM }) {
  // Node has already loaded the packages that globalSetup imports.
  if (!supportsDynamicImport) return source;
  const loaded = `loadPackage(${JSON.stringify(file)})`;
  if (!supportsStaticESM) return `module.exports = ${loaded};`;
  const names = Object.keys(loadPackage(file));
  const exported = names.map(
    (name, i) => `const e${i} = loaded[${JSON.stringify(name)}]; export { e${i} as ${name} };`,
  );
  return [`const loaded = ${loaded};`, ...exported].join('\n');
}
