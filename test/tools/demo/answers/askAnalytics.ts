// Asks the reads of analytics as a dashboard does, and waits a bounded time for a copy that is not there yet or is behind.
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminRefusal, type AdminApi } from '../adminApi.ts';
import { UsageError } from '../options.ts';

/** A copy is built in seconds at the size of a demo, and lags at most 5 s. The rest is for a machine under load. */
const patienceMillis = 120_000;
const pollMillis = 500;

export interface Asked {
  admin: AdminApi;
  applicationId: string;
  /** Default: two minutes. */
  patience?: number;
}

/** Throws a UsageError where the service has no copy at all. */
export async function requireAnalytics({ admin, applicationId }: Asked): Promise<void> {
  try {
    await admin.ask(newestQuery, { applicationId });
  } catch (error) {
    const reason = unavailable(error);
    if (reason === null) throw error;
    if (reason === 'off') throw new UsageError(offText);
  }
}

const offText =
  'The service runs with ANALYTICS=off, so nothing could be compared with activity, funnel and the other reads. ' +
  'Start it with ANALYTICS=embedded (and an ANALYTICS_DIR that it can write) or ANALYTICS=database.';
const newestQuery =
  'query Newest($applicationId: UUID!) { recentEvents(applicationId: $applicationId, limit: 1) { asOf } }';

/** Repeats while the copy is built or busy. Throws a plain error after the patience. */
export async function askAnalytics<Data>(asked: Asked, query: string, variables: Record<string, unknown>) {
  const { admin, patience = patienceMillis } = asked;
  for (const end = Date.now() + patience; ; await sleep(pollMillis)) {
    try {
      return await admin.ask<Data>(query, variables);
    } catch (error) {
      const reason = unavailable(error);
      if (reason === null) throw error;
      if (reason === 'off') throw new UsageError(offText);
      if (Date.now() > end) throw new Error(`The reads are still ${reason} after ${patience / 1_000} s.`);
    }
  }
}

/** Resolves when the copy has everything that was stored before `instant`, with null or with the problem after the patience. */
export async function waitForCopy(asked: Asked, instant: number): Promise<string | null> {
  const { applicationId, patience = patienceMillis } = asked;
  for (const end = Date.now() + patience; ; await sleep(pollMillis)) {
    const { recentEvents } = await askAnalytics<{ recentEvents: { asOf: string } }>(asked, newestQuery, {
      applicationId,
    });
    if (Date.parse(recentEvents.asOf) >= instant) return null;
    if (Date.now() > end) return `The copy is behind: asOf is ${recentEvents.asOf} after ${patience / 1_000} s.`;
  }
}

/** The reason of `ANALYTICS_UNAVAILABLE`, and null for any other error. */
function unavailable(error: unknown): string | null {
  if (!(error instanceof AdminRefusal)) return null;
  const refusal = error.errors.find(({ extensions }) => extensions.code === 'ANALYTICS_UNAVAILABLE');
  return refusal ? (refusal.extensions.reason ?? 'unavailable') : null;
}
