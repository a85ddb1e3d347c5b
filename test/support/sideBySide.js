// Runs npm scripts side by side, one per core; prints each script's output at its end, and fails when one of them fails.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

function run(script) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '-s', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      if (code === 0) return resolve();
      process.stdout.write(`npm run ${script} failed\n`);
      process.exitCode = 1;
      resolve();
    });
  });
}

const waiting = process.argv.slice(2);
async function runInTurn() {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) await run(script);
}
await Promise.all(Array.from({ length: availableParallelism() }, runInTurn));
