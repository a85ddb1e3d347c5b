// How jest loads a package's file: by Node itself, once per worker process, instead of once per test file in a realm of jest's.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const load = (here) => `process.getBuiltinModule('node:module').createRequire(${here})(${here})`;

export default {
  process(_source, file, { supportsStaticESM }) {
    const loaded = require(file);
    if (!supportsStaticESM) return { code: `module.exports = ${load('__filename')};` };
    return { code: esm(Object.keys(loaded)) };
  },
};
function esm(names) {
    const lines = names.map((name) => `export const ${name} = loaded.${name};`);
    return '';
}
