// The SQL of look-ups: which transaction is being looked up, and what came of it.
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import type { StoreEnvironment } from './storeClient.ts';
import type { WaitingTransaction } from './storeJobs.ts';

export type TransactionState = 'PENDING' | 'RESOLVED' | 'NOT_FOUND' | 'FAILED';

export interface TransactionKey {
  applicationId: string;
  transactionId: string;
}

/** A transaction at the begin of its look-up. */
export interface BegunLookUp {
  /** Another look-up of it is under way. */
  busy: boolean;
  behind: boolean;
  state: TransactionState;
  /** The store has not known it since then; null where it has not said so yet. */
  notKnownSince: Date | null;
  /** Null until it is resolved. */
  lineId: string | null;
  environment: StoreEnvironment | null;
  historyRevision: string | null;
}

/** Longer than any call to the store: each call begins this time anew. After a kill -9 the next look-up waits so long. */
const lookingSeconds = 30;

/** A failure of the service itself is no state to keep: the store was not asked. */
const openState = sql`CASE WHEN t.reason = 'internal_error' THEN 'PENDING' ELSE t.state END`;

/** Null where there is no such transaction. */
export async function beginLookUp(
  connection: SqlConnection,
  { applicationId, transactionId }: TransactionKey,
): Promise<BegunLookUp | null> {
  const statement = prepared('begin_look_up')`/* purchases: beginLookUp */
    WITH begun AS (
      UPDATE store_transactions SET looking_until = clock_timestamp() + make_interval(secs => ${lookingSeconds}::float8)
      WHERE id = ${transactionId} AND application_id = ${applicationId}
        AND (looking_until IS NULL OR looking_until < clock_timestamp())
      RETURNING id, application_id)
    SELECT b.id IS NULL AS busy, t.behind, ${openState} AS state, t.not_known_since AS "notKnownSince", t.line_id AS "lineId",
      coalesce(e.environment, t.environment) AS environment, e.history_revision AS "historyRevision"
    FROM store_transactions t LEFT JOIN begun b ON b.id = t.id
    LEFT JOIN store_entitlements e ON e.line_id = t.line_id AND e.application_id = t.application_id
    WHERE t.id = ${transactionId} AND t.application_id = ${applicationId}`;
  const { rows } = await connection.query<BegunLookUp>(statement);
  return rows[0] ?? null;
}

/** Before each call of the look-up but the first: `beginLookUp` precedes that one. */
export async function goOnLookingUp(connection: SqlConnection, key: TransactionKey): Promise<void> {
  await connection.query(prepared('go_on_looking_up')`/* purchases: goOnLookingUp */
    UPDATE store_transactions SET looking_until = clock_timestamp() + make_interval(secs => ${lookingSeconds}::float8)
    WHERE id = ${key.transactionId} AND application_id = ${key.applicationId}`);
}

/** The look-up ended without a result. */
export async function leaveLookUp(connection: SqlConnection, key: TransactionKey): Promise<void> {
  await connection.query(prepared('leave_look_up')`/* purchases: leaveLookUp */
    UPDATE store_transactions SET looking_until = NULL
    WHERE id = ${key.transactionId} AND application_id = ${key.applicationId}`);
}

export interface LookUpOutcome {
  state: TransactionState;
  reason: string | null;
  /** A word of `reason`; null after a look-up that succeeded. */
  error: string | null;
  /** Null where the store was not asked. */
  lookedUpAt: Date | null;
  /** Null leaves it as it is. */
  lineId: string | null;
  notKnownSince: Date | null;
}

/** A final state is left by success alone. */
const isTaken = (state: TransactionState) =>
  sql`(${openState} = 'PENDING' OR t.state <> 'RESOLVED' AND ${state}::text = 'RESOLVED')`;

/** The look-up has ended. */
export async function saveLookUp(
  connection: SqlConnection,
  { applicationId, transactionId }: TransactionKey,
  { state, reason, error, lookedUpAt, lineId, notKnownSince }: LookUpOutcome,
): Promise<void> {
  await connection.query(prepared('save_look_up')`/* purchases: saveLookUp */
    UPDATE store_transactions t SET looking_until = NULL, waits = false, takes_place = false, last_look_up_error = ${error},
      last_looked_up_at = coalesce(${lookedUpAt}, t.last_looked_up_at), line_id = coalesce(${lineId}, t.line_id),
      not_known_since = ${notKnownSince},
      state = CASE WHEN ${isTaken(state)} THEN ${state}::store_transaction_state ELSE t.state END,
      reason = CASE WHEN ${isTaken(state)} THEN ${reason} ELSE t.reason END,
      resolved_at = CASE WHEN ${isTaken(state)} AND ${state} <> 'PENDING' THEN now() ELSE t.resolved_at END
    WHERE id = ${transactionId} AND application_id = ${applicationId}`);
}

/** Why a look-up is asked for again later. New credentials can end each: a store may not know another app's purchases. */
const waitingReasons = [
  ...['no_credentials', 'credentials_refused', 'credentials_unreadable', 'no_root_certificates'],
  ...['not_known_yet', 'store_busy', 'store_unavailable'],
];

/**
 * The next transactions whose last look-up brought nothing and is to be repeated, in the order of ids, after the given id;
 * with `putOff` also those that had none yet. Those without a place wait for one, and not for the store.
 */
export async function findWaitingTransactions(
  connection: SqlConnection,
  { applicationId, after, putOff = false, limit }: JobPayloads['retryPendingTransactions'] & { limit: number },
): Promise<WaitingTransaction[]> {
  const statement = prepared('find_waiting_transactions')`/* purchases: findWaitingTransactions */
    SELECT id, behind FROM store_transactions
    WHERE application_id = ${applicationId} AND id > ${after} AND reason IS DISTINCT FROM 'waiting_in_line'
      AND (state = 'PENDING' AND (${putOff} OR reason = ANY(${waitingReasons}))
        OR last_look_up_error = ANY(${waitingReasons}))
    ORDER BY id LIMIT ${limit}`;
  const { rows } = await connection.query<{ id: string; behind: boolean }>(statement);
  return rows.map(({ id, behind }) => ({ applicationId, transactionId: id, behind }));
}
