// The globalSetup of the project cluster: that of the faults, on a Citus cluster.
import { startFaults } from '../testRun.ts';

export default async function startOnCluster(): Promise<void> {
  if (!process.env['TEST_DATABASE_URL'] || !process.env['TEST_CITUS_WORKERS']) {
    throw new Error(
      'The tests of test/cluster need a Citus cluster. `npm run test:cluster -- GIT_DIR` starts one and runs them. For a ' +
        'cluster of yours, TEST_DATABASE_URL names the coordinator and TEST_CITUS_WORKERS the workers, separated by ' +
        'commas: docs/contributing/testing.md, "Tests on a Citus cluster".',
    );
  }
  await startFaults();
}
