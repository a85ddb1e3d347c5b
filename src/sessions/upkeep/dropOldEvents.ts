// EVENT_RETENTION_DAYS: drops the events of older sessions week by week, then deletes those sessions.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../../platform/observability/log.ts';
import { inRemovalTransaction } from '../../platform/database/removalTransaction.ts';
import { keepFirsts, nextArrivals, partitionDue } from './firstsStore.ts';
import { deleteOldSessions, dropOldestPartition, eventsKeptFrom, findSessionsBefore } from './retentionStore.ts';

/** One batch takes a few tens of milliseconds. The pause leaves the disk to uploads. */
const batch = { sessions: 5_000, pauseMillis: 20, most: 1_000 };

/** One batch of 30,000 events takes about 0.2 s. */
const firstsOf = { sessions: 1_000 };

/** Any number of processes may run it. Rejects when the table is too busy to drop from it; the next run continues. */
export async function dropOldEvents(pool: Pool, daysKept: number, log: Log): Promise<void> {
  let from = '-infinity';
  for (;;) {
    const before = await partitionDue(pool, daysKept);
    if (before === null) break;
    from = await keepFirstsBefore(pool, { from, before });
    const name = await dropOldestPartition(pool, daysKept);
    // Another process is dropping it.
    if (name === null) break;
    log.info({ partition: name }, 'old events were dropped');
  }
  const sessions = await deleteSessionsOfDropped(pool);
  if (sessions > 0) log.info({ sessions }, 'sessions of old events were deleted');
}

/** Before the DROP, in batches: one statement over a week of events would take minutes. Resolves to the last arrival. */
async function keepFirstsBefore(pool: Pool, { from, before }: { from: string; before: string }): Promise<string> {
  for (let last = from; ;) {
    const span = await nextArrivals(pool, { from: last, before, limit: firstsOf.sessions });
    if (!span) return last;
    await inRemovalTransaction(pool, (transaction) => keepFirsts(transaction, span));
    last = span.until;
    await pause(batch.pauseMillis);
  }
}

async function deleteSessionsOfDropped(pool: Pool): Promise<number> {
  const keptFrom = await eventsKeptFrom(pool);
  let deleted = 0;
  for (let round = 0; keptFrom && round < batch.most; round++) {
    const oldest = await findSessionsBefore(pool, keptFrom, batch.sessions);
    if (!oldest) break;
    deleted += await deleteOldSessions(pool, oldest);
    await pause(batch.pauseMillis);
  }
  return deleted;
}
