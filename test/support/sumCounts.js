// Prints the end of .ci/run: what failed in all runs of jest, and as the last line `tests: N passed, N failed`. Arguments: the file of counts, and the commands that failed.
import { readFileSync } from 'node:fs';

const [file, ...failedCommands] = process.argv.slice(2);
const runs = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
// A command, a linter for example, can also fail without a failed test: the line must not report a success then.
const failed = Math.max(sum('failed'), failedCommands.length);
for (const failure of runs.flatMap(({ failures }) => failures)) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`tests: ${sum('passed')} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
