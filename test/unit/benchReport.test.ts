// The ratios of a bench: over all rounds, and over those in which the machine was quiet for both that are compared.
import { availableParallelism } from 'node:os';
import type { WatchedPhase } from '../bench/ingest/measure/quiet.ts';
import { summarize, table } from '../bench/ingest/report.ts';
import type { Series } from '../bench/ingest/rounds.ts';

const whole = { cores: availableParallelism(), speed: 100, otherCores: 0 };

function phase(eventsPerSecond: number, state: Partial<typeof whole> = {}): WatchedPhase {
  const cpuMicros = { target: 1, postgres: 1, load: 1 };
  return { eventsPerSecond, uploadsPerSecond: 1, p50Millis: 1, p99Millis: 1, cpuMicros, ...whole, ...state };
}

function series(letter: string, signed: boolean | null, phases: WatchedPhase[]): Series {
  return { letter, name: letter, shape: '1x10', signed, phases };
}

function compared(service: WatchedPhase[], limit: WatchedPhase[], bestSpeed = whole.speed) {
  const [, summary] = summarize([series('P', true, service), series('C', null, limit)], bestSpeed);
  return summary!;
}

test('a round counts as quiet only where nothing disturbed either of the two', () => {
  const summary = compared(
    [phase(10), phase(20), phase(30, { cores: whole.cores * 0.6 }), phase(40), phase(50, { otherCores: 0.5 })],
    [phase(100), phase(100), phase(100), phase(100, { speed: 60 }), phase(100)],
  );
  expect(summary).toMatchObject({ serviceRatio: 0.3, quiet: { rounds: 2, serviceRatio: 0.15 } });
  expect(table([summary])).toContain('| 0.15 (2) |');
});

test('speed is held against the best of the whole run', () => {
  const slow = { speed: 80 };
  const alike = compared([phase(10, slow)], [phase(100, slow)], slow.speed);
  expect(alike.quiet.rounds).toBe(1);
  const faster = compared([phase(10, slow), phase(10)], [phase(100, slow), phase(100)]);
  expect(faster.quiet.rounds).toBe(1);
});

test('no quiet round, no ratio', () => {
  const summary = compared([phase(10, { cores: whole.cores / 2 })], [phase(100, { cores: whole.cores / 2 })]);
  expect(summary).toMatchObject({ serviceRatio: 0.1, quiet: { rounds: 0, serviceRatio: null } });
});
