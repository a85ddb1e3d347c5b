// `npm run licences` prints every package that runs in production, with its version and licence from package-lock.json.
import { readFileSync } from 'node:fs';
import { carriedFiles } from '../../prisma/carryClient.js';

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

/** The build carries some packages of development into dist/. */
const isCarried = (place) => Object.keys(carriedFiles).some((name) => place === `node_modules/${name}`);

const packages = Object.entries(lock.packages)
  .filter(([place, { dev, devOptional }]) => place !== '' && ((!dev && !devOptional) || isCarried(place)))
  .map(([place, { version, license }]) => `${license ?? 'UNKNOWN'}\t${place.split('node_modules/').at(-1)}@${version}`);

process.stdout.write(`${[...new Set(packages)].sort().join('\n')}\n`);
