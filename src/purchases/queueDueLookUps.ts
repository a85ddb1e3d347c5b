// What each worker repeats: look-ups of lines whose period has ended, of transactions that wait for a place, and of forgotten ones.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import {
  findDueLines,
  findForgottenLines,
  isAnyLineDue,
  nextWaitingApplication,
  noteLinesAsked,
  takeWaiting,
} from './dueLookUpsStore.ts';
import { wakeLines } from './storeJobs.ts';
import { enterLines } from './storeTransactionsStore.ts';
import { findVacancies, lockPlaces } from './uploadsStore.ts';

/** A short transaction each: no upload of one of them waits long. */
const batch = 2_000;

/** Lines are found by their index, and no job waits for a later end. Returns how many were queued. */
export async function queueDueLookUps(pool: Pool, now = new Date()): Promise<number> {
  let queued = 0;
  if (!(await isAnyLineDue(pool, now))) return queued;
  for (;;) {
    const { found, asked, lines } = await inTransaction(pool, async (transaction) => {
      const due = await findDueLines(transaction, { now, limit: batch });
      const entered = await enterLines(transaction, due);
      return { found: due.length, asked: await noteLinesAsked(transaction, due, now), lines: entered };
    });
    await wakeLines(pool, lines);
    queued += asked;
    // Another process asks for the same ones.
    if (found < batch || asked === 0) return queued;
  }
}

/** Fills the places that have become free, in every application. */
export async function queueWaiting(pool: Pool): Promise<void> {
  let applicationId = await nextWaitingApplication(pool, null);
  while (applicationId !== null) {
    await queueWaitingTransactions(pool, applicationId);
    applicationId = await nextWaitingApplication(pool, applicationId);
  }
}

/** The same in one application. Also a job: of uploads at one moment only one gets places. */
export async function queueWaitingTransactions(pool: Pool, applicationId: string): Promise<void> {
  const taken = await inTransaction(pool, async (transaction) => {
    await lockPlaces(transaction, applicationId);
    const places = await findVacancies(transaction, applicationId);
    return places > 0 ? takeWaiting(transaction, { applicationId, limit: places }) : 0;
  });
  if (taken > 0) await wakeLines(pool, [{ applicationId, behind: true }]);
}

/** A process stores transactions before it adds their job, and may have ended between. */
export async function queueForgottenLookUps(pool: Pool): Promise<void> {
  await wakeLines(pool, await findForgottenLines(pool));
}
