// Checks a property with random cases of the run's seed; a failing case is shrunk, kept in a file and reported with the command that replays it.
import fc from 'fast-check';
import { seed } from './figures.ts';
import { saveRegression, type Kind } from './regressions.ts';

export interface Search<Case> {
  cases: fc.Arbitrary<Case>;
  runs: number;
  /** Throws the fault of the request. */
  judge: (request: Case) => Promise<void>;
}

export interface Found<Case> {
  request: Case;
  why: string;
  runs: number;
}

/** The smallest case that breaks the property, or null. */
export async function find<Case>({ cases, runs, judge }: Search<Case>): Promise<Found<Case> | null> {
  const outcome = await fc.check(fc.asyncProperty(cases, judge), { seed, numRuns: runs });
  if (!outcome.failed) return null;
  const { errorInstance: error } = outcome;
  const why = error instanceof Error ? error.message : String(error);
  return { request: outcome.counterexample![0], why, runs: outcome.numRuns };
}

export async function hold<Case extends object>({ kind, ...search }: Search<Case> & { kind: Kind }): Promise<void> {
  const found = await find(search);
  if (!found) return;
  const file = saveRegression(kind, found.request);
  const text = [
    found.why,
    `case ${found.runs}, made small: ${JSON.stringify(found.request).slice(0, 1_000)}`,
    `It is kept as ${file}, which every run replays.`,
    `All of it again: SEED=${seed} npm run -s jest -- test/faults/fuzz`,
  ];
  throw new Error(text.join('\n'));
}
