// Counts the responses to a phase's uploads as they arrive, for both loops.
import { percentile } from '../measure/statistics.ts';
import type { Connection } from './connection.ts';
import type { LoadPlan, LoadResult } from './plan.ts';
import type { PreparedUpload } from './requests.ts';

/** The longest wait after the phase's end for the responses under way. */
export const lastResponsesMillis = 15_000;

export interface Tally {
  sent: number;
  statuses: Record<number, number>;
  withoutRetryAfter: number;
  latencies: number[];
  slowestMillis: number;
  acknowledged: string[];
  start: number;
  cpu: NodeJS.CpuUsage;
}

export function startTally(): Tally {
  const counts = { sent: 0, statuses: {}, withoutRetryAfter: 0, latencies: [], slowestMillis: 0, acknowledged: [] };
  return { ...counts, start: performance.now(), cpu: process.cpuUsage() };
}

/**
 * Sends one upload and counts its response; the status is 0 when the connection broke. The latency counts from the due
 * time.
 */
export async function sendCounted(
  connection: Connection,
  { upload, dueAt }: { upload: PreparedUpload; dueAt: number },
  tally: Tally,
): Promise<number> {
  const sentAt = performance.now();
  const response = await connection.send(upload.bytes).catch(() => ({ status: 0, retryAfter: false }));
  const { status, retryAfter } = response;
  const respondedAt = performance.now();
  tally.latencies.push(respondedAt - dueAt);
  tally.slowestMillis = Math.max(tally.slowestMillis, respondedAt - sentAt);
  tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
  if (status === 200) tally.acknowledged.push(...upload.sessionIds);
  if (status === 503 && !retryAfter) tally.withoutRetryAfter += 1;
  return status;
}

export function resultOf(tally: Tally, { cycle }: LoadPlan): LoadResult {
  const seconds = (performance.now() - tally.start) / 1_000;
  const { user, system } = process.cpuUsage(tally.cpu);
  const sorted = Float64Array.from(tally.latencies).sort();
  const { sent, statuses, withoutRetryAfter, slowestMillis } = tally;
  return {
    ...{ due: sent, sent, statuses, unserved: unserved({ sent, statuses }), withoutRetryAfter, seconds },
    p50Millis: percentile(sorted, 0.5),
    p99Millis: percentile(sorted, 0.99),
    slowestMillis,
    cpuSeconds: (user + system) / 1e6,
    acknowledged: cycle ? [] : tally.acknowledged,
  };
}

export function unserved({ sent, statuses }: Pick<LoadResult, 'sent' | 'statuses'>): number {
  return sent - Object.values(statuses).reduce((sum, count) => sum + count, 0);
}
