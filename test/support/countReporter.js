// Ends every run with one line for scripts, `tests: N passed, N failed`, or passes the counts on to sumCounts.js.
import { appendFileSync } from 'node:fs';

/** .ci/run sets TEST_COUNTS: a file with one line of JSON per run, which sumCounts.js adds up. */
const countsFile = process.env.TEST_COUNTS;

export default class CountReporter {
  onRunComplete(_contexts, results) {
    // testRun.ts checks whether all tests of both contracts ran.
    const run = (globalThis.testRun ??= {});
    run.testFilesRun = results.testResults.map(({ testFilePath }) => testFilePath);
    const passed = results.numPassedTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    if (countsFile) return appendFileSync(countsFile, `${JSON.stringify({ passed, failed })}\n`);
    // Printed after jest's own summary, which jest writes to standard error.
    process.on('exit', () => process.stdout.write(`tests: ${passed} passed, ${failed} failed\n`));
  }
}
