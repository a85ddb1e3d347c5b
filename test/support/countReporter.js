// Ends every run with one line that a script can read: `tests: N passed, N failed`.
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    // After jest's own summary, which is written to standard error.
    process.on('exit', () => process.stdout.write(`tests: ${results.numPassedTests} passed, ${failed} failed\n`));
  }
}
