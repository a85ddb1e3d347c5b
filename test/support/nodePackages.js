// How jest reads a package: Node loads it, once per worker process, and the module that jest sees hands on what it exports.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const nodesRequire = createRequire(import.meta.url);

/** Those that packages made while they were loaded: they stay, because no package is loaded again. */
export const globalsOfPackages = new Set();

export function loadPackage(file) {
  const before = new Set(Reflect.ownKeys(globalThis));
  const loaded = nodesRequire(file);
  for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) globalsOfPackages.add(key);
  return loaded;
}

export default {
  process: (source, file, options) => ({ code: handingOn(source, file, options) }),
  // What a package exports may come from other files of it than this one.
  getCacheKey: (source, file, options) =>
    createHash('sha1')
      .update(handingOn(source, file, options))
      .digest('hex'),
};

function handingOn(source, file, { supportsDynamicImport, supportsStaticESM }) {
  // What globalSetup imports is with Node already.
  if (!supportsDynamicImport) return source;
  const loaded = `loadPackage(${JSON.stringify(file)})`;
  if (!supportsStaticESM) return `module.exports = ${loaded};`;
  const names = Object.keys(loadPackage(file));
  const exported = names.map(
    (name, i) => `const e${i} = loaded[${JSON.stringify(name)}]; export { e${i} as ${name} };`,
  );
  return [`const loaded = ${loaded};`, ...exported].join('\n');
}
