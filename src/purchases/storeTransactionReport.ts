// Stores one upload of transaction ids: their rows, the claims that it makes, its look-ups, and who holds which line from now on.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { PipelinedTransaction } from '../platform/database/transaction.ts';
import { decideHolders } from './decideHolders.ts';
import { findLinesOf, saveClaims } from './holdersStore.ts';
import { lineUp, type NamedTransaction, type Placed } from './lineUp.ts';
import { reportBytes } from './reportBytes.ts';
import { lockLines } from './statementsStore.ts';
import { wakeLines, wakeQueueWaiting } from './storeJobs.ts';
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

export interface StoredReport {
  applicationId: string;
  /** The bytes that it adds. */
  added: number;
  /** In which lines a transaction of it waits, and whether one waits for a place. */
  woken: { front: boolean; behind: boolean; waiting: boolean };
}

/**
 * One transaction of the database is the caller's, who calls `wakeReport` after it. An upload
 * decides at once who holds the known lines of its transactions, without waiting for a look-up.
 *
 * Its statements are sent in pipelines: it locks its rows for 5 round trips instead of 11, and each of them waits for the
 * event loop. Another upload of the same ids waits as long.
 */
export async function storeTransactionReport(
  transaction: PipelinedTransaction,
  report: TransactionReport,
  now: Date,
): Promise<StoredReport> {
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
  const gone = proven ? await makeWay(transaction, report, { named, placed }) : [];
  const woken = {
    front: placed.some(({ behind }) => behind === false),
    behind: gone.length > 0 || placed.some(({ behind }) => behind === true),
    waiting: waitsForPlace(named, placed),
  };
  const transactions = named.filter(({ isNew }) => isNew).map(({ id }) => id);
  const added = reportBytes({ transactions, claims: newClaims }, report);
  const stored = { applicationId, added, woken };
  if (lineIds.length === 0) return stored;
  await lockLines(transaction, { applicationId, lineIds });
  const changes = await decideHolders(transaction, { applicationId, lineIds });
  await tellLines(transaction, { applicationId, changes }, { now });
  return stored;
}

/**
 * Also one that another upload has stored: while this upload locked its row, the job that gives places passed it over.
 */
function waitsForPlace(named: NamedTransaction[], placed: Placed[]): boolean {
  const placedBehind = new Map(placed.map(({ id, behind }) => [id, behind]));
  return named.some(({ id, reason }) =>
    placedBehind.has(id) ? placedBehind.get(id) === null : reason === 'waiting_in_line',
  );
}

/**
 * Adds the jobs of what an upload has stored, after its COMMIT: the uploads of one application would wait for each other at
 * the row of its job, and a worker for all of them.
 */
export async function wakeReport(connection: SqlConnection, { applicationId, woken }: StoredReport): Promise<void> {
  const lines = [...(woken.front ? [false] : []), ...(woken.behind ? [true] : [])];
  await wakeLines(
    connection,
    lines.map((behind) => ({ applicationId, behind })),
  );
  if (woken.waiting) await wakeQueueWaiting(connection, applicationId);
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
