// `npm run bench:growth` measures what ten million stored events do to uploads and to the dashboard's reads, and the disk space they take.
import { writeFileSync } from 'node:fs';
import { reportFailure, WrongCommandLine } from '../../../../src/platform/commandLine.ts';
import { startNodeLoad } from '../load/nodeLoad.ts';
import { describeMachine } from '../measure/machine.ts';
import { runPhase, type Phase, type PhaseTools } from '../measure/phase.ts';
import { patiently, speedOf, wasQuiet } from '../measure/quiet.ts';
import { median } from '../measure/statistics.ts';
import { fixed, markdown } from '../report.ts';
import { eventsOf, shapes } from '../shapes.ts';
import { startBenchServer } from '../targets/benchDatabase.ts';
import { startServiceTarget } from '../targets/serviceTarget.ts';
import type { Target } from '../targets/target.ts';
import { untilSignal } from '../untilSignal.ts';
import { warmUp } from '../warmUp.ts';
import { measureAdminReads } from './adminReads.ts';
import { loadHistory } from './loadHistory.ts';
import { readGrowthOptions, type GrowthOptions } from './options.ts';
import { tableSizes } from './tableSizes.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const shape = shapes[0]!;
const connections = 64;

interface Side {
  target: Target;
  phases: Phase[];
}

async function growth(options: GrowthOptions, closing: (() => Promise<void>)[]): Promise<void> {
  const load = startNodeLoad();
  closing.push(() => load.stop());
  const server = await startBenchServer();
  closing.push(() => server.stop());
  const { application } = server;
  const [empty, full] = [await server.createDatabase('bench_empty'), await server.createDatabase('bench_full')];
  const uploads = Math.ceil(options.events / eventsOf(shape));
  await loadHistory({ databaseUrl: full, applicationId: application.id, shape, uploads, seed: options.seed, say });
  const sizes = await tableSizes(full);
  const sides: Side[] = [];
  for (const [name, databaseUrl] of Object.entries({ empty, full })) {
    const target = await startServiceTarget({ letter: 'P', name: `${name} database`, databaseUrl });
    closing.push(() => target.stop());
    sides.push({ target, phases: [] });
  }
  await measureUploads(sides, options, { server, load });
  const reads = await measureAdminReads(sides[1]!.target.urls[0]!, full, options);
  const machine = await describeMachine(server.url);
  print({ options, machine, sizes, uploads: compare(sides), reads });
}

async function measureUploads(sides: Side[], options: GrowthOptions, tools: PhaseTools): Promise<void> {
  const { key } = tools.server.application;
  const { seconds, seed } = options;
  const phaseOf = (side: Side, name: string): Promise<Phase> => {
    const { urls } = side.target;
    const uploads = Math.ceil(expectedUploads(side) * seconds);
    const plan = { urls, key, shape, signed: true, connections, seconds, uploads, cycle: false, seed };
    return runPhase(side.target, { ...plan, name: `growth-${name}` }, tools);
  };
  for (const side of sides) {
    const best = await warmUp((number) => phaseOf(side, `warm-up-${number}`));
    say(`${side.target.name}: warmed up to ${Math.round(best * eventsOf(shape))} events/s`);
  }
  for (let round = 1; round <= options.rounds; round++) {
    // The order alternates, so that no side always follows the other.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const run = (attempt: number) => phaseOf(side, `${round}-${attempt}`);
      const phase = await patiently(options.patient, run, side.phases);
      side.phases.push(phase);
      say(`${side.target.name}, round ${round}: ${Math.round(phase.eventsPerSecond)} events/s`);
    }
  }
}

function expectedUploads({ phases }: Side): number {
  const last = phases.at(-1);
  return last ? Math.max(1_000, last.uploadsPerSecond * 2) : 8_000;
}

function compare(sides: Side[]) {
  const counted = sides.map(({ phases }) => phases);
  const [empty, full] = counted as [Phase[], Phase[]];
  // The phases of both sides together: their generator does the same work.
  const all = counted.flat();
  const isQuiet = (round: number): boolean => counted.every((phases) => wasQuiet(phases[round]!, all));
  const ratios = full.map((phase, round) => phase.eventsPerSecond / empty[round]!.eventsPerSecond);
  const rows = sides.map(({ target }, index) => ({
    name: target.name,
    eventsPerSecond: median(counted[index]!.map(({ eventsPerSecond }) => eventsPerSecond)),
    p50Millis: median(counted[index]!.map(({ p50Millis }) => p50Millis)),
    p99Millis: median(counted[index]!.map(({ p99Millis }) => p99Millis)),
    cpuMicrosPerEvent: median(
      counted[index]!.map(({ cpuMicros }) => (cpuMicros.target ?? NaN) + (cpuMicros.postgres ?? NaN)),
    ),
    otherCores: median(counted[index]!.map(({ otherCores }) => otherCores ?? NaN)),
    speed: median(counted[index]!.map((phase) => speedOf(phase, all) ?? NaN)),
  }));
  const quiet = ratios.filter((_, round) => isQuiet(round));
  return { rows, fullToEmpty: median(ratios), quiet: { rounds: quiet.length, fullToEmpty: median(quiet) } };
}

interface Results {
  options: GrowthOptions;
  machine: Awaited<ReturnType<typeof describeMachine>>;
  sizes: Awaited<ReturnType<typeof tableSizes>>;
  uploads: ReturnType<typeof compare>;
  reads: Awaited<ReturnType<typeof measureAdminReads>>;
}

function print(results: Results): void {
  const { machine, sizes, uploads, reads, options } = results;
  const facts = Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`);
  const sizeRows = sizes.map(({ table, rows, tableBytes, indexBytes, bytesPerRow }) => [
    ...[table, rows.toLocaleString('en-US'), fixed(tableBytes / 2 ** 20, 0), fixed(indexBytes / 2 ** 20, 0)],
    fixed(bytesPerRow, 1),
  ]);
  const uploadRows = uploads.rows.map((row) => [
    ...[
      row.name,
      Math.round(row.eventsPerSecond).toLocaleString('en-US'),
      fixed(row.p50Millis, 1),
      fixed(row.p99Millis, 1),
    ],
    ...[fixed(row.cpuMicrosPerEvent, 1), fixed(row.otherCores, 2), fixed(row.speed, 2)],
  ]);
  const readRows = reads.map(({ name, p50Millis, p95Millis }) => [name, fixed(p50Millis, 1), fixed(p95Millis, 1)]);
  const tables = [
    markdown(['table', 'rows', 'table MiB', 'indexes MiB', 'bytes per row'], sizeRows),
    markdown(
      ['uploads 1x10, signed', 'events/s', 'p50 ms', 'p99 ms', 'CPU µs/event', 'other cores', 'speed'],
      uploadRows,
    ),
    `full / empty: ${uploads.fullToEmpty.toFixed(3)} (median of the rounds${quietText(uploads.quiet)})`,
    markdown(['read of the dashboard', 'p50 ms', 'p95 ms'], readRows),
  ];
  process.stdout.write(`${facts.join('\n')}\n\n${tables.join('\n\n')}\n`);
  const record = JSON.stringify(results, null, 2);
  if (options.json === undefined) process.stdout.write(`\n${record}\n`);
  else writeFileSync(options.json, `${record}\n`);
}

function quietText({ rounds, fullToEmpty }: ReturnType<typeof compare>['quiet']): string {
  return rounds === 0 ? '' : `; ${fullToEmpty.toFixed(3)} over the ${rounds} in which the machine was quiet`;
}

try {
  const options = readGrowthOptions(process.argv.slice(2));
  if (options) await untilSignal((closing) => growth(options, closing));
} catch (error) {
  if (error instanceof WrongCommandLine) reportFailure(error);
  else {
    say(String(error instanceof Error ? error.stack : error));
    process.exitCode = 1;
  }
}
