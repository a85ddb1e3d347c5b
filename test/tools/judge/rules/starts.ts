// The starts of the app that a recording shows. Count, wait and refusal end with the process: openapi.yaml, "Backoff".
import { parseIsoDateTime } from '../../../../src/platform/inputRules.ts';
import type { Recorded, Recording } from '../recording.ts';
import { remembered } from './rule.ts';
import { uploadsOf } from './uploads.ts';

interface Start {
  /** Unix seconds by the server's clock. */
  at: number;
  /** The first request that brings its session. */
  index: number;
}

/** A cold session begins with the process. Its upload may come after that of a batch that waited. */
const startsOf = remembered((recording: Recording): Start[] => {
  const known = new Set<string>();
  return uploadsOf(recording).flatMap(({ report, request }) =>
    report.sessions.flatMap(({ id, startDate, events = [] }) => {
      const isCold = events[0]?.params.some(({ name, value }) => name === 'type' && value === 'cold') ?? false;
      if (known.has(id)) return [];
      known.add(id);
      return isCold ? [{ at: parseIsoDateTime(startDate) ?? NaN, index: request.index }] : [];
    }),
  );
});

/** An SDK may keep its offset although it is wrong by two seconds, and `Date` has whole seconds. */
const toleranceSeconds = 4;

/** Whether a process began after the end of the first request and before the second one arrived. */
export function appStartedBetween(before: Recorded, next: Recorded, recording: Recording): boolean {
  const from = endOf(before) - toleranceSeconds;
  const to = next.serverTime / 1_000 + toleranceSeconds;
  return startsOf(recording).some(({ at, index }) => index > before.index && at >= from && at <= to);
}

/** Unix seconds by the server's clock. */
export function endOf({ serverTime, arrivedAt, endedAt }: Recorded): number {
  return (serverTime + endedAt - arrivedAt) / 1_000;
}
