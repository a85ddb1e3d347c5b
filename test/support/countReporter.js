// Ends every run with one line that a script can read, `tests: N passed, N failed`, or hands it on to the end of several runs.
import { appendFileSync } from 'node:fs';

/** Of .ci/run: a file with a line of JSON for each run, which sumCounts.js adds up. */
const countsFile = process.env.TEST_COUNTS;

export default class CountReporter {
  onRunComplete(_contexts, results) {
    // testRun.ts looks whether both contracts' tests ran whole.
    const run = (globalThis.testRun ??= {});
    run.testFilesRun = results.testResults.map(({ testFilePath }) => testFilePath);
    const passed = results.numPassedTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    if (countsFile) return appendFileSync(countsFile, `${JSON.stringify({ passed, failed })}\n`);
    // After jest's own summary, which is written to standard error.
    process.on('exit', () => process.stdout.write(`tests: ${passed} passed, ${failed} failed\n`));
  }
}
