// Runs TypeScript as ES modules; one PostgreSQL serves all files, each of which copies a migrated template database.
export default {
  testEnvironment: '<rootDir>/test/support/oneRealm.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
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
  testSequencer: '<rootDir>/test/support/longestFirst.js',
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  reporters: ['default', '<rootDir>/test/support/countReporter.js'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // Needs a Citus cluster, which nothing here can start (docs/contributing/testing.md).
  testPathIgnorePatterns: process.env.TEST_CITUS_WORKERS ? [] : ['<rootDir>/test/cluster/'],
  testTimeout: 60_000,
  // Twice the cores of a small machine: the longest tests wait for a process, a timer or the database.
  maxWorkers: 4,
};
