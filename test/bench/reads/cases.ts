// The questions of the bench of reads, with the bound that each keeps on the embedded copy with ten million events.
import type { AnalyticsEngine } from '../../../src/analytics/engine/engine.ts';
import type { Report } from '../../../src/analytics/questions.ts';
import { readActivity } from '../../../src/analytics/reads/activityRead.ts';
import { dateOf, dayNumber } from '../../../src/analytics/reportDays.ts';

export interface Case {
  name: string;
  /** p95 in milliseconds. */
  bound: number;
  /** Resolves to the response, which is the same on both engines. */
  ask(engine: AnalyticsEngine): Promise<unknown>;
}

/** `now` is later than every arrival. */
export function cases(applicationId: string, now: Date): Case[] {
  const to = now.toISOString().slice(0, 10);
  const last = (days: number): Report => ({
    ...{ applicationId, includeTest: false, timeZone: 'Europe/Berlin' },
    ...{ from: dateOf(dayNumber(to) - days + 1), to },
  });
  const activity = { interval: 'DAY', unit: 'DEVICE', compare: false } as const;
  return [
    { name: 'activity, 30 days', bound: 200, ask: (on) => readActivity(on, { ...last(30), ...activity }, now) },
    { name: 'activity, 90 days', bound: 500, ask: (on) => readActivity(on, { ...last(90), ...activity }, now) },
    {
      name: 'activity, 30 days, users, compared',
      bound: 500,
      ask: (on) => readActivity(on, { ...last(30), ...activity, unit: 'USER', compare: true }, now),
    },
  ];
}
