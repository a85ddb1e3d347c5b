// The ratios of a bench: over all rounds, and over the rounds in which the machine was quiet for both targets.
import type { Phase } from '../bench/ingest/measure/phase.ts';
import { patiently } from '../bench/ingest/measure/quiet.ts';
import { roundTables, summarize, table } from '../bench/ingest/report.ts';
import type { Series } from '../bench/ingest/rounds.ts';

function phase(eventsPerSecond: number, state: Partial<Pick<Phase, 'constantMicros' | 'otherCores'>> = {}): Phase {
  const cpuMicros = { target: 1, postgres: 1, load: 1 };
  const rates = { eventsPerSecond, uploadsPerSecond: 1, p50Millis: 1, p99Millis: 1 };
  return { ...rates, cpuMicros, constantMicros: 2, otherCores: 0, ...state };
}

function series(letter: string, signed: boolean | null, phases: Phase[]): Series {
  return { letter, name: letter, shape: '1x10', signed, phases };
}

function compared(service: Phase[], limit: Phase[]) {
  const [, summary] = summarize([series('P', true, service), series('C', null, limit)]);
  return summary!;
}

const slow = { constantMicros: 3 };

test('a round counts as quiet only where nothing disturbed either of the two', () => {
  const summary = compared(
    [phase(10), phase(20), phase(30, slow), phase(40), phase(50, { otherCores: 0.5 })],
    [phase(100), phase(100), phase(100), phase(100, slow), phase(100)],
  );
  expect(summary).toMatchObject({ serviceRatio: 0.3, quiet: { rounds: 2, serviceRatio: 0.15 } });
  expect(table([summary])).toContain('| 0.15 (2) |');
});

test('the speed of each target is held against its own fastest phase', () => {
  const alike = compared([phase(10, slow), phase(10, slow)], [phase(100), phase(100)]);
  expect(alike.quiet.rounds).toBe(2);
  const faster = compared([phase(10, slow), phase(10)], [phase(100), phase(100)]);
  expect(faster.quiet.rounds).toBe(1);
});

test('no quiet round, no ratio', () => {
  const summary = compared([phase(10, { otherCores: 1 })], [phase(100)]);
  expect(summary).toMatchObject({ serviceRatio: 0.1, quiet: { rounds: 0, serviceRatio: null } });
});

test('rounds are shown with the speed of each of the two', () => {
  const [rounds] = roundTables([
    series('P', true, [phase(1_000), phase(700, slow)]),
    series('C', null, [phase(4_000), phase(3_500)]),
  ]);
  expect(rounds).toContain('|     2 |        700 |  0.67 |      3,500 |  1.00 | 0.20 |');
});

test('patience repeats a phase until it was quiet, and counts that one', async () => {
  const tries = [phase(1, slow), phase(2, { otherCores: 1 }), phase(3), phase(4)];
  const run = (attempt: number) => Promise.resolve(tries[attempt - 1]!);
  expect(await patiently(true, run, [phase(9)])).toBe(tries[2]);
  expect(await patiently(false, run, [phase(9)])).toBe(tries[0]);
});

test('patience ends', async () => {
  let attempts = 0;
  const run = () => Promise.resolve(phase(++attempts, { otherCores: 1 }));
  expect(await patiently(true, run, [])).toMatchObject({ eventsPerSecond: attempts });
  expect(attempts).toBe(20);
});
