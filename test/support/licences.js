// `npm run licences` prints every package that runs in production, with its version and licence from package-lock.json.
import { readFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

const packages = Object.entries(lock.packages)
  .filter(([place, { dev, devOptional }]) => place !== '' && !dev && !devOptional)
  .map(([place, { version, license }]) => `${license ?? 'UNKNOWN'}\t${place.split('node_modules/').at(-1)}@${version}`);

process.stdout.write(`${[...new Set(packages)].sort().join('\n')}\n`);
