// `npm run bench` measures the cost of a session upload on this machine, beside a naive reference and the limit of the database.
import { writeFileSync } from 'node:fs';
import { reportFailure, WrongCommandLine } from '../../../src/platform/commandLine.ts';
import { startLoad } from './load/startLoad.ts';
import { describeMachine } from './measure/machine.ts';
import { peakMebibytes } from './measure/processUsage.ts';
import { slowestStatements } from './measure/statements.ts';
import { readOptions, type BenchOptions } from './options.ts';
import { fixed, markdown, roundTables, summarize, table } from './report.ts';
import { runRounds } from './rounds.ts';
import { startBenchServer } from './targets/benchDatabase.ts';
import { startTargets, stopTargets } from './targets/startTargets.ts';
import { untilSignal } from './untilSignal.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function bench(options: BenchOptions, closing: (() => Promise<void>)[]): Promise<void> {
  const load = startLoad(options.load, { manyAddresses: options.only.includes('M') });
  closing.push(() => load.stop());
  const server = await startBenchServer();
  closing.push(() => server.stop());
  const targets = await startTargets(options, server, say);
  closing.push(() => stopTargets(targets));
  const machine = { ...(await describeMachine(server.url)), load: load.name };
  const copyDatabaseUrl = options.only.includes('C') ? await server.createDatabase('bench_copy') : null;
  const series = await runRounds({ options, targets, copyDatabaseUrl, tools: { server, load }, say });
  const memory = targets.map(({ letter, name, pids }) => ({ letter, name, peakMebibytes: peaksOf(pids) }));
  const results = summarize(series);
  const record = JSON.stringify({ machine, options, results, memory }, null, 2);
  const facts = Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`);
  const peaks = memory.map(({ letter, name, peakMebibytes }) => [letter, name, fixed(peakMebibytes, 0)]);
  const tables = [table(results), markdown(['', 'target', 'peak MiB'], peaks), ...roundTables(series)];
  process.stdout.write(`${[facts.join('\n'), ...tables].join('\n\n')}\n`);
  if (options.statements) {
    process.stdout.write(`\n${(await slowestStatements(server.url, 'bench_service')).join('\n')}\n`);
  }
  if (options.json === undefined) process.stdout.write(`\n${record}\n`);
  else writeFileSync(options.json, `${record}\n`);
}

/** The sum over all of a target's processes. */
function peaksOf(pids: number[]): number | null {
  return pids.reduce<number | null>((sum, pid) => {
    const peak = peakMebibytes(pid);
    return sum === null || peak === null ? null : sum + peak;
  }, 0);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await untilSignal((closing) => bench(options, closing));
} catch (error) {
  if (error instanceof WrongCommandLine) reportFailure(error);
  else {
    say(String(error instanceof Error ? error.stack : error));
    process.exitCode = 1;
  }
}
