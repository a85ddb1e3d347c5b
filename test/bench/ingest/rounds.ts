// Interleaved rounds: in each, every target is measured once with every shape, so that what disturbs one disturbs all.
import type { LoadPlan } from './load/plan.ts';
import { runCopyPhase } from './measure/copyPhase.ts';
import { runPhase, type Phase, type PhaseTools } from './measure/phase.ts';
import type { BenchOptions } from './options.ts';
import { eventsOf, type Shape } from './shapes.ts';
import type { Target } from './targets/target.ts';

export interface Series {
  letter: string;
  name: string;
  shape: string;
  /** Null for COPY, where there is no request to sign. */
  signed: boolean | null;
  phases: Phase[];
}

export interface RoundsPlan {
  options: BenchOptions;
  targets: Target[];
  /** Null where the limit is not asked for. */
  copyDatabaseUrl: string | null;
  tools: PhaseTools;
  say: (line: string) => void;
}

/** Uploads a second that a target is expected to take at most, until its warm-up has shown what it takes. */
const warmUp = { seconds: 3, uploads: 20_000 };

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
  { options, tools, say }: RoundsPlan,
  target: Target,
  { shape, signed }: { shape: Shape; signed: boolean },
) {
  const result: Series = { letter: target.letter, name: target.name, shape: shape.name, signed, phases: [] };
  const label = `${target.letter} ${shape.name} ${signed ? 'signed' : 'unsigned'}`;
  const { key } = tools.server.application;
  const { connections, seed } = options;
  const cycle = target.databaseUrl === null;
  let expected = Math.ceil((warmUp.uploads * 10) / Math.max(10, eventsOf(shape)));
  const load = (seconds: number, round: number): LoadPlan => {
    const uploads = cycle ? 2_000 : Math.ceil(expected * seconds);
    const name = `${shape.name}-${signed ? 'signed' : 'unsigned'}-${round}`;
    return { url: target.url, key, shape, signed, connections, seconds, uploads, cycle, seed, name };
  };
  return {
    result,
    /** Not counted: it compiles the hot path, fills caches, and shows how many uploads must be prepared. */
    async warm() {
      const phase = await runPhase(target, load(warmUp.seconds, 0), tools);
      expected = Math.ceil(phase.uploadsPerSecond * 2);
      say(`${label}: warm-up ${Math.round(phase.eventsPerSecond)} events/s`);
    },
    async run(round: number) {
      const phase = await runPhase(target, load(options.seconds, round), tools);
      expected = Math.ceil(Math.max(expected / 2, phase.uploadsPerSecond) * 1.5);
      result.phases.push(phase);
      say(`${label}: round ${round} ${Math.round(phase.eventsPerSecond)} events/s`);
    },
  };
}

function createCopySeries({ options, tools, copyDatabaseUrl, say }: RoundsPlan, shape: Shape) {
  const result: Series = { letter: 'C', name: 'COPY on one connection', shape: shape.name, signed: null, phases: [] };
  return {
    result,
    async run(round: number, others: { result: Series }[]) {
      const stored = others.find((other) => other.result.letter === 'P' && other.result.shape === shape.name);
      const rate = stored?.result.phases.at(-1)?.eventsPerSecond ?? 50_000;
      const events = Math.max(10_000, Math.round(rate * options.seconds));
      const name = `${shape.name}-copy-${round}`;
      const { application } = tools.server;
      const plan = { databaseUrl: copyDatabaseUrl!, shape, events, seed: options.seed, name, application };
      const phase = await runCopyPhase(plan, tools.server);
      result.phases.push(phase);
      say(`C ${shape.name}: round ${round} ${Math.round(phase.eventsPerSecond)} events/s of ${events}`);
    },
  };
}
