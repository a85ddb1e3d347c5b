// The SQL of store transactions: the known transactions, the devices that uploaded them, and the state of each.
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addResolveJobs, type WaitingTransaction } from './storeJobs.ts';

export interface TransactionReport {
  applicationId: string;
  deviceKey: string;
  deviceId: string;
  externalId: string | null;
  /** Unique and sorted. */
  transactionIds: string[];
}

export type TransactionState = 'PENDING' | 'RESOLVED' | 'NOT_FOUND' | 'FAILED';

export interface TransactionKey {
  applicationId: string;
  transactionId: string;
}

/**
 * A device with so many PENDING transactions has no room in line: its further transactions wait behind those of other
 * devices.
 */
const roomOfOneDevice = 20;

/** It runs in the caller's transaction: ids and jobs become visible together, on a cluster too. */
export async function storeTransactionReport(transaction: Transaction, report: TransactionReport): Promise<void> {
  const { applicationId, deviceKey, deviceId, externalId, transactionIds } = report;
  const lined = await lineUp(transaction, report);
  await transaction.query(prepared('insert_store_transaction_devices')`/* purchases: storeTransactionReport */
    INSERT INTO store_transaction_devices AS d (device_key, transaction_id, application_id, device_id, external_id)
    SELECT ${deviceKey}, id, ${applicationId}, ${deviceId}, ${externalId}
    FROM unnest(${transactionIds}::text[]) AS t (id)
    ON CONFLICT (device_key, transaction_id) DO UPDATE SET external_id = excluded.external_id
    WHERE excluded.external_id IS DISTINCT FROM d.external_id AND excluded.external_id IS NOT NULL`);
  await addResolveJobs(transaction, lined);
}

/**
 * Stores the new transactions. While this device has room in line, it also brings forward transactions that another
 * device's upload left behind. Returns those of them that no look-up has tried yet. One upload of a device at a time
 * gets room: parallel uploads would each find all of it. The count uses an order that only its index has. Otherwise,
 * where one device owns most of the table, the planner would read all of it for the few rows of another device.
 */
async function lineUp(
  transaction: Transaction,
  { applicationId, deviceKey, transactionIds }: TransactionReport,
): Promise<WaitingTransaction[]> {
  const statement = prepared('line_up_store_transactions')`/* purchases: lineUp */
    WITH room AS MATERIALIZED (
      SELECT CASE WHEN pg_try_advisory_xact_lock(hashtextextended('purchases: lineUp ' || ${deviceKey}::uuid, 0)) THEN
        ${roomOfOneDevice}::int - (SELECT count(*) FROM (SELECT FROM store_transactions
          WHERE uploaded_by = ${deviceKey} AND state = 'PENDING' ORDER BY received_at LIMIT ${roomOfOneDevice}) waiting)
        ELSE 0 END AS places
    ), coming AS MATERIALIZED (
      SELECT id, row_number() OVER (ORDER BY number) AS number
      FROM unnest(${transactionIds}::text[]) WITH ORDINALITY AS t (id, number)
      WHERE NOT EXISTS (SELECT FROM store_transactions s
        WHERE s.id = t.id AND s.application_id = ${applicationId} AND NOT (s.behind AND s.state = 'PENDING')))
    INSERT INTO store_transactions AS s (id, application_id, uploaded_by, behind)
    SELECT id, ${applicationId}::uuid, ${deviceKey}::uuid, number > (SELECT places FROM room) FROM coming ORDER BY number
    ON CONFLICT (id, application_id) DO UPDATE SET uploaded_by = excluded.uploaded_by, behind = false
    WHERE s.behind AND s.state = 'PENDING' AND NOT excluded.behind
    RETURNING id, behind, reason IS NOT NULL AS asked`;
  const { rows } = await transaction.query<{ id: string; behind: boolean; asked: boolean }>(statement);
  return rows.filter(({ asked }) => !asked).map(({ id, behind }) => ({ applicationId, transactionId: id, behind }));
}

/** A transaction that failed inside the service is open again when its job runs again. */
const isOpen = sql`(state = 'PENDING' OR reason = 'internal_error')`;

/** Null when the state is final, or when there is no such transaction. */
export async function findOpenTransaction(
  connection: SqlConnection,
  { applicationId, transactionId }: TransactionKey,
): Promise<Pick<WaitingTransaction, 'behind'> | null> {
  const statement = prepared('find_open_transaction')`/* purchases: findOpenTransaction */
    SELECT behind FROM store_transactions
    WHERE id = ${transactionId} AND application_id = ${applicationId} AND ${isOpen}`;
  const { rows } = await connection.query<{ behind: boolean }>(statement);
  return rows[0] ?? null;
}

/** The reasons that new credentials can end. */
const parkedReasons = ['no_credentials', 'credentials_refused', 'credentials_unreadable'] as const;
export type ParkedReason = (typeof parkedReasons)[number];

export interface TransactionOutcome {
  state: TransactionState;
  reason: string | null;
  lineId: string | null;
}

/** The first final state stays, and a second call changes nothing. True for the first call. */
export async function saveTransactionOutcome(
  connection: SqlConnection,
  { applicationId, transactionId }: TransactionKey,
  { state, reason, lineId }: TransactionOutcome,
): Promise<boolean> {
  const statement = prepared('save_transaction_outcome')`/* purchases: saveTransactionOutcome */
    UPDATE store_transactions SET state = ${state}::store_transaction_state, reason = ${reason}, line_id = ${lineId},
      resolved_at = CASE WHEN ${state}::store_transaction_state <> 'PENDING' THEN now() END
    WHERE id = ${transactionId} AND application_id = ${applicationId} AND ${isOpen}`;
  const { rowCount } = await connection.query(statement);
  return rowCount === 1;
}

/**
 * The next transactions that wait for credentials, in the order of ids, after the given id; with `putOff` the next
 * PENDING ones. Transactions that only wait for their next attempt have a job, and so do those with
 * `credentials_unreadable`.
 */
export async function findWaitingTransactions(
  connection: SqlConnection,
  { applicationId, after, putOff = false, limit }: JobPayloads['retryPendingTransactions'] & { limit: number },
): Promise<WaitingTransaction[]> {
  const statement = prepared('find_waiting_transactions')`/* purchases: findWaitingTransactions */
    SELECT id, behind FROM store_transactions
    WHERE application_id = ${applicationId} AND state = 'PENDING' AND (${putOff} OR reason = ANY(${parkedReasons}))
      AND id > ${after} ORDER BY id LIMIT ${limit}`;
  const { rows } = await connection.query<{ id: string; behind: boolean }>(statement);
  return rows.map(({ id, behind }) => ({ applicationId, transactionId: id, behind }));
}
