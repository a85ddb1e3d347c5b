// Interleaved rounds: in each, every target is measured once with every shape, so that what disturbs one disturbs all.
import type { LoadPlan } from './load/plan.ts';
import { runCopyPhase } from './measure/copyPhase.ts';
import { runPhase, type Phase, type PhaseTools } from './measure/phase.ts';
import { watched, type Watch, type WatchedPhase } from './measure/quiet.ts';
import type { BenchOptions } from './options.ts';
import { eventsOf, type Shape } from './shapes.ts';
import { warmUp } from './warmUp.ts';
import type { Target } from './targets/target.ts';

export interface Series {
  letter: string;
  name: string;
  shape: string;
  /** Null for COPY, where there is no request to sign. */
  signed: boolean | null;
  phases: WatchedPhase[];
}

export interface RoundsPlan {
  options: BenchOptions;
  targets: Target[];
  /** Null where the limit is not asked for. */
  copyDatabaseUrl: string | null;
  tools: PhaseTools;
  watch: Watch;
  say: (line: string) => void;
}

const warmUpSeconds = 3;
/** Uploads a second that are prepared, until the first phase has shown what a target takes. */
const firstGuess = 5_000;

export async function runRounds(plan: RoundsPlan): Promise<Series[]> {
  const { options } = plan;
  const cases = options.shapes.flatMap((shape) => options.signed.map((signed) => ({ shape, signed })));
  const series = cases.flatMap((each) => plan.targets.map((target) => createSeries(plan, target, each)));
  const copies = plan.copyDatabaseUrl === null ? [] : options.shapes.map((shape) => createCopySeries(plan, shape));
  for (const { warm } of series) await warm();
  for (let round = 1; round <= options.rounds; round++) {
    for (const { run } of series) await run(round);
    for (const { run } of copies) await run(round, series);
  }
  return [...series, ...copies].map(({ result }) => result);
}

function createSeries(
  { options, tools, watch, say }: RoundsPlan,
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
      const phase = await watched(watch, (attempt) =>
        runPhase(target, load(options.seconds, `${round}-${attempt}`), tools),
      );
      expected = Math.max(expected / 2, prepared(phase));
      result.phases.push(phase);
      say(`${label}: round ${round} ${Math.round(phase.eventsPerSecond)} events/s, ${coreText(phase)}`);
    },
  };
}

/** Uploads a second to prepare for the phase after this one. */
function prepared({ uploadsPerSecond }: Phase): number {
  return Math.max(500, uploadsPerSecond * 2);
}

function createCopySeries({ options, tools, watch, copyDatabaseUrl, say }: RoundsPlan, shape: Shape) {
  const result: Series = { letter: 'C', name: 'COPY on one connection', shape: shape.name, signed: null, phases: [] };
  return {
    result,
    async run(round: number, others: { result: Series }[]) {
      const stored = others.find((other) => other.result.letter === 'P' && other.result.shape === shape.name);
      const rate = stored?.result.phases.at(-1)?.eventsPerSecond ?? 50_000;
      const events = Math.max(10_000, Math.round(rate * options.seconds));
      const { application } = tools.server;
      const plan = { databaseUrl: copyDatabaseUrl!, shape, events, seed: options.seed, application };
      const phase = await watched(watch, (attempt) =>
        runCopyPhase({ ...plan, name: `${shape.name}-copy-${round}-${attempt}` }, tools.server),
      );
      result.phases.push(phase);
      say(
        `C ${shape.name}: round ${round} ${Math.round(phase.eventsPerSecond)} events/s of ${events}, ${coreText(phase)}`,
      );
    },
  };
}

function coreText({ cores, speed }: WatchedPhase): string {
  return `${cores.toFixed(2)} cores of ${speed.toFixed(0)}`;
}
