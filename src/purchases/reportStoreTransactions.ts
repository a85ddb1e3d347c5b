// POST /api/v1/tm/store: stores each transaction id once, with a job that looks it up, before the response.
import type { components } from '../../generated/openapi.ts';
import { deviceKey, type DeviceNodes } from '../devices/deviceKey.ts';
import type { SqlConnection } from '../platform/database/sql.ts';
import type { PipelinedTransaction, TransactionLimits } from '../platform/database/transaction.ts';
import type { EveryField } from '../platform/inputRules.ts';
import { type Quotas, withinQuotas } from '../quotas/quotas.ts';
import { decideHolders, findLinesOf, saveClaims } from './decideHolders.ts';
import { lockLines } from './statementsStore.ts';
import { wakeLines, wakeQueueWaiting } from './storeJobs.ts';
import { emitEntitlementEvents } from './emitEntitlementEvents.ts';
import {
  findRoom,
  findVacancies,
  isProven,
  lineUp,
  makeRoom,
  type NamedTransaction,
  nameTransactions,
  place,
  type Placed,
  roomOfOneDevice,
  saveUploads,
} from './uploadsStore.ts';

type Schemas = components['schemas'];

interface ReportStoreTransactionsRequest {
  /** Has passed the contract. */
  body: EveryField<Schemas['StoreTransactionReport'], Record<'device' | 'transactions', true>> & {
    device: EveryField<Schemas['DeviceReference'], Record<'id' | 'external_id', true>>;
    transactions: EveryField<Schemas['StoreTransaction'], Record<'id', true>>[];
  };
  application: { id: string };
}

interface Needs {
  storeTransactions: (report: TransactionReport, limits: TransactionLimits) => Promise<number>;
  quotas: Quotas;
  nodes: Pick<DeviceNodes, 'during'>;
}

/** Resolves after COMMIT. Throws the database's error unchanged, and `unavailable` where a quota is used up. */
export async function reportStoreTransactions(
  { body: { device, transactions }, application }: ReportStoreTransactionsRequest,
  { storeTransactions, quotas, nodes }: Needs,
): Promise<{ body: Record<string, never> }> {
  const report = {
    applicationId: application.id,
    deviceKey: deviceKey(application.id, device.id),
    deviceId: device.id,
    externalId: device.external_id ?? null,
    // Sorted: two uploads with common ids then lock them in one order, and cannot deadlock.
    transactionIds: [...new Set(transactions.map(({ id }) => id))].sort(),
  };
  const { applicationId, transactionIds: ids } = report;
  const bytes = reportBytes({ transactions: ids, claims: ids }, report);
  const request = { applicationId, operation: 'reportStoreTransactions', deviceKey: report.deviceKey, bytes } as const;
  await nodes.during(report.deviceKey, (limits) =>
    withinQuotas(quotas, request, () => storeTransactions(report, limits)),
  );
  return { body: {} };
}

export interface TransactionReport {
  applicationId: string;
  deviceKey: string;
  deviceId: string;
  externalId: string | null;
  /** Unique and sorted. */
  transactionIds: string[];
}

interface StoredReport {
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
  await emitEntitlementEvents(transaction, { applicationId, changes }, { now });
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

/** Of a transaction with its job, and of a claim with the device's row: columns, keys and the fixed part of each row. */
const fixed = { transaction: 900, claim: 500 };
/** How often an id stands in rows and keys. */
const copies = { transaction: 5, claim: 4, device: 2 };

interface AddedRows {
  /** Ids that no upload has named before. */
  transactions: readonly string[];
  /** Ids that this device has not named before under this external id. */
  claims: readonly string[];
}

/** The bytes that an upload adds to the tables, as quotas count them (openapi.yaml, "Quotas"). */
function reportBytes(
  { transactions, claims }: AddedRows,
  { deviceId, externalId }: { deviceId: string; externalId: string | null },
): number {
  const ofDevice = copies.device * (Buffer.byteLength(deviceId) + Buffer.byteLength(externalId ?? ''));
  return (
    bytesOf(transactions) * copies.transaction +
    transactions.length * fixed.transaction +
    bytesOf(claims) * copies.claim +
    claims.length * (fixed.claim + ofDevice)
  );
}

function bytesOf(ids: readonly string[]): number {
  return ids.reduce((sum, id) => sum + Buffer.byteLength(id), 0);
}
