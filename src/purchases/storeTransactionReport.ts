// Stores one upload of transaction ids: their rows, the claims that it makes, its look-ups, and who holds which line from now on.
import type { Transaction } from '../platform/database/transaction.ts';
import { decideHolders, type LineChange } from './decideHolders.ts';
import { findLinesOf, saveClaims } from './holdersStore.ts';
import { lineUp } from './lineUp.ts';
import { lockLines } from './statementsStore.ts';
import { addQueueWaiting, addResolveJobs } from './storeJobs.ts';
import { tellLines } from './tellLines.ts';
import { findRoom, findVacancies, isProven, nameTransactions, place, saveUploads } from './uploadsStore.ts';

export interface TransactionReport {
  applicationId: string;
  deviceKey: string;
  deviceId: string;
  externalId: string | null;
  /** Unique and sorted. */
  transactionIds: string[];
}

/**
 * One transaction of the database is the caller's: ids and jobs become visible together, on a cluster too. Returns how the
 * known lines of the transactions changed: an upload decides at once, without waiting for a look-up.
 */
export async function storeTransactionReport(
  transaction: Transaction,
  report: TransactionReport,
  now: Date,
): Promise<LineChange[]> {
  const { applicationId, deviceKey, deviceId, transactionIds } = report;
  const proven = await isProven(transaction, deviceKey);
  const named = await nameTransactions(transaction, report);
  const places = await (proven ? findRoom(transaction, deviceKey) : findVacancies(transaction, applicationId));
  const placed = lineUp(named, { proven, places, now });
  await place(transaction, { applicationId, deviceKey, proven, placed });
  await saveUploads(transaction, report);
  await saveClaims(transaction, {
    ...{ applicationId, deviceKey, deviceId, transactionIds },
    externalId: report.externalId ?? '',
  });
  const jobs = placed.flatMap(({ id, behind, asks }) =>
    behind === null || !asks ? [] : [{ applicationId, transactionId: id, behind }],
  );
  await addResolveJobs(transaction, jobs);
  if (placed.some(({ behind }) => behind === null)) await addQueueWaiting(transaction, applicationId);
  const lineIds = await findLinesOf(transaction, report);
  if (lineIds.length === 0) return [];
  await lockLines(transaction, { applicationId, lineIds });
  const changes = await decideHolders(transaction, { applicationId, lineIds });
  await tellLines(transaction, { applicationId, changes }, { now });
  return changes;
}
