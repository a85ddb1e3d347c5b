// Stores one upload of transaction ids: their rows, the claims that it makes, its look-ups, and who holds which line from now on.
import type { PipelinedTransaction } from '../platform/database/transaction.ts';
import { decideHolders } from './decideHolders.ts';
import { findLinesOf, saveClaims } from './holdersStore.ts';
import { lineUp, type NamedTransaction, type Placed } from './lineUp.ts';
import { reportBytes } from './reportBytes.ts';
import { lockLines } from './statementsStore.ts';
import { addQueueWaiting, addResolveJobs } from './storeJobs.ts';
import { tellLines } from './tellLines.ts';
import {
  findRoom,
  findVacancies,
  isProven,
  makeRoom,
  nameTransactions,
  place,
  roomOfOneDevice,
  saveUploads,
} from './uploadsStore.ts';

export interface TransactionReport {
  applicationId: string;
  deviceKey: string;
  deviceId: string;
  externalId: string | null;
  /** Unique and sorted. */
  transactionIds: string[];
}

/**
 * One transaction of the database is the caller's: ids and jobs become visible together, on a cluster too. An upload
 * decides at once who holds the known lines of its transactions, without waiting for a look-up.
 *
 * Its statements are sent in pipelines: it locks its rows for 5 round trips instead of 11, and each of them waits for the
 * event loop. Another upload of the same ids waits as long.
 *
 * Resolves to the bytes that it adds.
 */
export async function storeTransactionReport(
  transaction: PipelinedTransaction,
  report: TransactionReport,
  now: Date,
): Promise<number> {
  const { applicationId, deviceKey, deviceId, transactionIds } = report;
  const [proven, named] = await transaction.pipelined((pipeline) =>
    Promise.all([isProven(pipeline, deviceKey), nameTransactions(pipeline, report)]),
  );
  const room = proven
    ? await findRoom(transaction, deviceKey)
    : { places: await findVacancies(transaction, applicationId) };
  const placed = lineUp(named, { proven, ...room, now });
  const claims = { applicationId, deviceKey, deviceId, transactionIds, externalId: report.externalId ?? '' };
  const [lineIds, , , newClaims] = await transaction.pipelined((pipeline) =>
    Promise.all([
      findLinesOf(pipeline, report),
      place(pipeline, { applicationId, deviceKey, proven, placed }),
      saveUploads(pipeline, report),
      saveClaims(pipeline, claims),
    ]),
  );
  const jobs = placed.flatMap(({ id, behind, asks }) =>
    behind === null || !asks ? [] : [{ applicationId, transactionId: id, behind }],
  );
  const gone = proven ? await makeWay(transaction, report, { named, placed }) : [];
  await addResolveJobs(transaction, [
    ...jobs,
    ...gone.map((transactionId) => ({ applicationId, transactionId, behind: true })),
  ]);
  if (placed.some(({ behind }) => behind === null)) await addQueueWaiting(transaction, applicationId);
  const transactions = named.filter(({ isNew }) => isNew).map(({ id }) => id);
  const added = reportBytes({ transactions, claims: newClaims }, report);
  if (lineIds.length === 0) return added;
  await lockLines(transaction, { applicationId, lineIds });
  const changes = await decideHolders(transaction, { applicationId, lineIds });
  await tellLines(transaction, { applicationId, changes }, { now });
  return added;
}

/** What the device has uploaded before goes behind where this upload needs its room. */
async function makeWay(
  transaction: PipelinedTransaction,
  report: TransactionReport,
  { named, placed }: { named: NamedTransaction[]; placed: Placed[] },
): Promise<string[]> {
  const inFront = new Set(placed.flatMap(({ id, behind }) => (behind === false ? [id] : [])));
  if (inFront.size === 0) return [];
  const taken = named.filter(({ id, takesRoom }) => takesRoom || inFront.has(id)).length;
  return makeRoom(transaction, report, Math.max(0, roomOfOneDevice - taken));
}
