// Ends every run with one line for scripts, `tests: N passed, N failed`, or passes the counts on to sumCounts.js.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** .ci/run sets TEST_COUNTS: a file with one line of JSON per run, which sumCounts.js adds up. */
const countsFile = process.env.TEST_COUNTS;

export default class CountReporter {
  onRunComplete(_contexts, results) {
    // testRun.ts checks whether all tests of both contracts ran.
    const run = (globalThis.testRun ??= {});
    run.testFilesRun = results.testResults.map(({ testFilePath }) => testFilePath);
    const passed = results.numPassedTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const failures = results.testResults.flatMap(failuresOf);
    if (countsFile) return appendFileSync(countsFile, `${JSON.stringify({ passed, failed, failures })}\n`);
    // Printed after jest's own summary, which jest writes to standard error.
    process.on('exit', () => process.stdout.write(`tests: ${passed} passed, ${failed} failed\n`));
  }
}

/** A line for each: the end of a long log is often all that is kept of it. */
function failuresOf({ testFilePath, testExecError, testResults }) {
  const failed = testResults.filter(({ status }) => status === 'failed');
  const texts = failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`);
  if (testExecError) texts.push(String(testExecError.message));
  return texts.map((text) => `${relative('.', testFilePath)}: ${oneLine(text)}`);
}

function oneLine(text) {
  const words = stripVTControlCharacters(text).split(/\s+/).join(' ');
  return words.length > 400 ? `${words.slice(0, 400)} …` : words;
}
