// Runs interleaved rounds: each round measures every target once with every shape, so that a disturbance meets all of them.
import type { LoadPlan } from './load/plan.ts';
import { runCopyPhase } from './measure/copyPhase.ts';
import { runPhase, type Phase, type PhaseTools } from './measure/phase.ts';
import { patiently } from './measure/quiet.ts';
import type { BenchOptions } from './options.ts';
import { fixed } from './report.ts';
import { eventsOf, type Shape } from './shapes.ts';
import { warmUp } from './warmUp.ts';
import type { Target } from './targets/target.ts';

export interface Series {
  letter: string;
  name: string;
  shape: string;
  /** Null for COPY, which has no request to sign. */
  signed: boolean | null;
  phases: Phase[];
}

export interface RoundsPlan {
  options: BenchOptions;
  targets: Target[];
  /** Null when the limit is not measured. */
  copyDatabaseUrl: string | null;
  tools: PhaseTools;
  say: (line: string) => void;
}

const warmUpSeconds = 3;
/** Uploads a second to prepare before the first phase has shown a target's rate. */
const firstGuess = 5_000;

export async function runRounds(plan: RoundsPlan): Promise<Series[]> {
  const { options } = plan;
  const cases = options.shapes.flatMap((shape) => options.signed.map((signed) => ({ shape, signed })));
  const series = cases.flatMap((each) => plan.targets.map((target) => createSeries(plan, target, each)));
  const services = series.map(({ result }) => result).filter(({ letter }) => letter === 'P');
  const copies =
    plan.copyDatabaseUrl === null ? [] : options.shapes.map((shape) => createCopySeries(plan, shape, services));
  for (const { warm } of series) await warm();
  const all = [...series, ...copies];
  for (let round = 1; round <= options.rounds; round++) {
    // The order reverses with each round, so that no target always follows the same one.
    for (const { run } of round % 2 === 1 ? all : all.toReversed()) await run(round);
  }
  return all.map(({ result }) => result);
}

function createSeries(
  { options, tools, say }: RoundsPlan,
  target: Target,
  { shape, signed }: { shape: Shape; signed: boolean },
) {
  const result: Series = { letter: target.letter, name: target.name, shape: shape.name, signed, phases: [] };
  const label = `${target.letter} ${shape.name} ${signed ? 'signed' : 'unsigned'}`;
  const { key } = tools.server.application;
  const { connections, seed } = options;
  const cycle = target.databaseUrl === null;
  let expected = Math.ceil((firstGuess * 10) / Math.max(10, eventsOf(shape)));
  const load = (seconds: number, round: string): LoadPlan => {
    const uploads = cycle ? 2_000 : Math.ceil(expected * seconds);
    const name = `${shape.name}-${signed ? 'signed' : 'unsigned'}-${round}`;
    return { urls: target.urls, key, shape, signed, connections, seconds, uploads, cycle, seed, name };
  };
  return {
    result,
    async warm() {
      const best = await warmUp(async (number) => {
        const phase = await runPhase(target, load(warmUpSeconds, `warm-up-${number}`), tools);
        expected = prepared(phase);
        return phase;
      });
      say(`${label}: warmed up to ${Math.round(best * eventsOf(shape))} events/s`);
    },
    async run(round: number) {
      const run = (attempt: number) => runPhase(target, load(options.seconds, `${round}-${attempt}`), tools);
      const phase = await patiently(options.patient, run, result.phases);
      expected = Math.max(expected / 2, prepared(phase));
      result.phases.push(phase);
      say(`${label}: round ${round} ${Math.round(phase.eventsPerSecond)} events/s, ${microsText(phase)}`);
    },
  };
}

/** Uploads a second to prepare for the next phase. */
function prepared({ uploadsPerSecond }: Phase): number {
  return Math.max(500, uploadsPerSecond * 2);
}

function createCopySeries(
  { options, tools, copyDatabaseUrl, say }: RoundsPlan,
  shape: Shape,
  services: readonly Series[],
) {
  const result: Series = { letter: 'C', name: 'COPY on one connection', shape: shape.name, signed: null, phases: [] };
  return {
    result,
    async run(round: number) {
      const service = services.find((other) => other.shape === shape.name);
      const rate = service?.phases.at(-1)?.eventsPerSecond ?? 50_000;
      const events = Math.max(10_000, Math.round(rate * options.seconds));
      const { application } = tools.server;
      const { seconds, seed } = options;
      const plan = { databaseUrl: copyDatabaseUrl!, shape, events, seconds, seed, application };
      const run = (attempt: number) =>
        runCopyPhase({ ...plan, name: `${shape.name}-copy-${round}-${attempt}` }, tools.server);
      const phase = await patiently(options.patient, run, result.phases);
      result.phases.push(phase);
      say(
        `C ${shape.name}: round ${round} ${Math.round(phase.eventsPerSecond)} events/s of ${events}, ${microsText(phase)}`,
      );
    },
  };
}

function microsText({ cpuMicros }: Phase): string {
  const parts = Object.entries(cpuMicros).flatMap(([part, each]) => (each === null ? [] : `${part} ${fixed(each, 1)}`));
  return `µs/event: ${parts.join(', ')}`;
}
