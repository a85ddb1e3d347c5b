// Runs TypeScript as ES modules, in projects that a change needs more or less often. Each is a folder of test/; the other folders there help them.
import { makePrismaClient } from './test/support/prismaClient.js';

makePrismaClient();

/** The tests of the dashboard's screens stand beside them. */
const besideScreens = ['<rootDir>/src/dashboard/**/*.test.ts'];

const isOnCluster = Boolean(process.env.TEST_CITUS_WORKERS);
const isAsked = (name) => process.argv.some((word) => word === name || word.includes(`test/${name}`));

/** `needs` is a file of test/support/setup. One PostgreSQL serves all files, each of which copies a migrated template. */
function project(name, needs, end) {
  return {
    displayName: name,
    testMatch: [`<rootDir>/test/${name}/**/*.test.ts`, ...(name === 'browser' ? besideScreens : [])],
    testEnvironment: '<rootDir>/test/support/oneRealm.js',
    extensionsToTreatAsEsm: ['.ts'],
    transform: {
      '^.+\\.ts$': [
        '@swc/jest',
        { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
      ],
      // Not the schema engine: it keeps the memory of the one WebAssembly instance that it was given.
      '/node_modules/(?!@prisma/schema-engine-wasm/).+\\.[cm]?js$': '<rootDir>/test/support/nodePackages.js',
    },
    transformIgnorePatterns: [],
    modulePathIgnorePatterns: ['<rootDir>/dist/'],
    ...(needs && { globalSetup: `<rootDir>/test/support/setup/${needs}.ts` }),
    ...(end && { globalTeardown: `<rootDir>/test/support/setup/${end}.ts` }),
  };
}

export default {
  projects: [
    project('unit'),
    project('contract', 'database', 'databaseEnd'),
    project('integration', 'database', 'databaseEnd'),
    // What simulates, draws or races for long: whoever changes its subject runs its file, and .ci/run all.
    project('nightly', 'database', 'databaseEnd'),
    project('process', 'process', 'databaseEnd'),
    project('faults', 'faults', 'faultsEnd'),
    project('consumers', 'consumers', 'databaseEnd'),
    project('browser', 'browser', 'databaseEnd'),
    // Where nobody asked for it a run without a cluster leaves it out.
    ...(isOnCluster || isAsked('cluster') ? [project('cluster', 'cluster', 'faultsEnd')] : []),
  ],
  testSequencer: '<rootDir>/test/support/longestFirst.js',
  reporters: ['default', '<rootDir>/test/support/countReporter.js', '<rootDir>/test/support/stuckReporter.js'],
  // For a hang alone: on two cores with other work, tests of seconds took more than a minute.
  testTimeout: 300_000,
  // Each test file leaves its modules in its worker's memory: without this, each of four workers grew to 2.4 GB.
  workerIdleMemoryLimit: '1GB',
  // Twice the cores of a small machine: the longest tests wait for a process, a timer or the database.
  maxWorkers: 4,
};
