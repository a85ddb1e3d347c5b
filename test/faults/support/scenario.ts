// Declares a fault: its injections in the short and the long form, and its row in the table.
import type { RandomSource } from '../../tools/demo/simulation/randomSource.ts';
import { recordFaultRow, type FaultRow } from './faultTable.ts';
import { isLong } from './form.ts';
import { randomOf } from './seed.ts';
import { startTrial, type Findings, type Trial, type TrialOptions } from './trial.ts';

export interface FaultContext {
  /** The short or the long figure. */
  times: number;
  random: RandomSource;
  /** A trial is settled and added to the row when the fault is over. */
  trial(options: TrialOptions): Promise<Trial>;
  /** Called once for each time that the fault really happened. */
  injected(times?: number): void;
  /** Adds findings that no ledger of uploads can count. */
  add(findings: Partial<Findings>): void;
  /** Ends the fault with a row that gives the reason why this machine cannot inject it. */
  skip(reason: string): void;
}

export interface Fault {
  name: string;
  times: { short: number; long: number };
  run(context: FaultContext): Promise<void>;
}

export function testFault(fault: Fault): void {
  test(
    fault.name,
    async () => {
      const { row, problems } = await inject(fault);
      recordFaultRow(row);
      expect(problems).toEqual([]);
      expect({ lost: row.lost, doubled: row.doubled, neverSent: row.neverSent }).toEqual({
        ...{ lost: 0, doubled: 0, neverSent: 0 },
      });
      if (row.skipped === undefined) expect(Math.min(row.injected, row.acknowledged)).toBeGreaterThan(0);
    },
    isLong ? 3_600_000 : 600_000,
  );
}

/** The row of a fault and every other problem; the run's first line contains the seed. */
export async function inject({ name, times, run }: Fault): Promise<{ row: FaultRow; problems: string[] }> {
  const row = emptyRow(name);
  const problems: string[] = [];
  const trials: Trial[] = [];
  const random = randomOf(name);
  const add = (found: Partial<Findings>): void => void problems.push(...addTo(row, found));
  const context: FaultContext = {
    times: isLong ? times.long : times.short,
    random,
    async trial(options) {
      const trial = await startTrial(options, random);
      trials.push(trial);
      return trial;
    },
    injected: (count = 1) => void (row.injected += count),
    add,
    skip: (reason) => void (row.skipped = reason),
  };
  try {
    await run(context);
    for (const trial of trials) add(await trial.finish());
  } finally {
    for (const trial of trials) await trial.stop();
  }
  return { row, problems };
}

function emptyRow(fault: string): FaultRow {
  const counts = { injected: 0, acknowledged: 0, lost: 0, doubled: 0, neverSent: 0 };
  return { fault, ...counts, longestOutageMillis: null, responses: {} };
}

function addTo(
  row: FaultRow,
  { longestOutageMillis, responses: results = {}, problems = [], ...found }: Partial<Findings>,
): string[] {
  for (const name of ['acknowledged', 'lost', 'doubled', 'neverSent'] as const) row[name] += found[name] ?? 0;
  if (longestOutageMillis !== undefined && longestOutageMillis !== null) {
    row.longestOutageMillis = Math.max(row.longestOutageMillis ?? 0, longestOutageMillis);
  }
  for (const [response, count] of Object.entries(results))
    row.responses[response] = (row.responses[response] ?? 0) + count;
  return problems;
}
