// Closes the days of shows: each day's suspect shows are counted once more and kept, and the rows of its devices go.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import {
  addSuspects,
  countSessionsOfDays,
  deleteShows,
  isAnyDayClosed,
  lockClosedShows,
  type ClosedShows,
} from './showsStore.ts';
import { suspectShows } from './suspectShows.ts';

const pauseMillis = 20;

/** Any number of processes may run it: each takes rows that no other holds, and a killed one has kept or removed none twice. */
export async function closeDaysOfShows(pool: Pool, size = 1_000): Promise<void> {
  if (!(await isAnyDayClosed(pool))) return;
  while (await inRemovalTransaction(pool, (transaction) => closeShows(transaction, size))) await sleep(pauseMillis);
}

/** True where there may be more. */
async function closeShows(transaction: Transaction, size: number): Promise<boolean> {
  const closed = await lockClosedShows(transaction, size);
  if (closed.length === 0) return false;
  // A session without a show may have arrived after the device's last show of the day. More sessions never make more suspect.
  const bySession = closed.filter(({ suspect, perSession }) => suspect > 0 && perSession !== null);
  const sessions = await countSessionsOfDays(transaction, bySession);
  await addSuspects(transaction, suspectsOf(closed, sessions));
  await deleteShows(transaction, closed);
  return closed.length === size;
}

function suspectsOf(closed: readonly ClosedShows[], sessions: ReadonlyMap<string, number>): Map<string, number> {
  const suspects = new Map<string, number>();
  for (const shows of closed) {
    const { campaignId, deviceKey, day, suspect } = shows;
    if (suspect === 0) continue;
    const counted = sessions.get(`${deviceKey} ${day}`);
    // Retention may have removed the sessions meanwhile.
    const sure = counted === undefined ? suspect : Math.min(suspect, suspectShows(shows, counted));
    if (sure > 0) suspects.set(campaignId, (suspects.get(campaignId) ?? 0) + sure);
  }
  return suspects;
}
