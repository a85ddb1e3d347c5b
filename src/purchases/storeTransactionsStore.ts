// The SQL of look-ups: which transaction is being looked up, and what came of it.
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import type { StoreEnvironment } from './storeClient.ts';
import type { Line } from './storeJobs.ts';

export type TransactionState = 'PENDING' | 'RESOLVED' | 'NOT_FOUND' | 'FAILED';

export interface TransactionKey {
  applicationId: string;
  transactionId: string;
}

/** Which of an application's transactions wait for a look-up in which line. The index of the line has the same words. */
export const lineOf = sql`(CASE WHEN behind OR look_up_ended THEN 1 ELSE 0 END)`;

/** A transaction at the begin of its look-up. */
export interface BegunLookUp {
  transactionId: string;
  behind: boolean;
  ended: boolean;
  /** Look-ups before it to which the store gave no response that counts. */
  attempt: number;
  /** Look-ups before it that failed inside the service. */
  failures: number;
  /** Its place in the line. */
  dueAt: Date;
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

/** The end of the lease of a look-up. */
const lease = sql`(SELECT clock_timestamp() + make_interval(secs => ${lookingSeconds}::float8) AS ends) lease`;

/** No request for another look-up has come since the look-up began. */
const isOwn = sql`t.look_up_at IS NOT DISTINCT FROM t.looking_until`;

/** A failure of the service itself is no state to keep: the store was not asked. */
const openState = sql`CASE WHEN t.reason = 'internal_error' THEN 'PENDING' ELSE t.state END`;

/**
 * The next transaction of the line, which no other look-up takes before the end of the lease. Null where none is due. Of one
 * transaction there is one look-up at a time: a request during a look-up waits for its end.
 */
export async function beginLookUp(
  connection: SqlConnection,
  { applicationId, behind }: Line,
): Promise<BegunLookUp | null> {
  const statement = prepared('begin_look_up')`/* purchases: beginLookUp */
    WITH next AS MATERIALIZED (
      SELECT id, look_up_at FROM store_transactions
      WHERE application_id = ${applicationId} AND ${lineOf} = ${behind ? 1 : 0} AND look_up_at <= now()
        AND (looking_until IS NULL OR looking_until < now())
      ORDER BY look_up_round, look_up_at LIMIT 1 FOR UPDATE SKIP LOCKED),
    begun AS (
      UPDATE store_transactions t SET looking_until = lease.ends, look_up_at = lease.ends FROM next, ${lease}
      WHERE t.id = next.id AND t.application_id = ${applicationId}
      RETURNING t.*, next.look_up_at AS due_at)
    SELECT t.id AS "transactionId", t.behind, t.look_up_ended AS ended, t.look_up_attempt AS attempt,
      t.look_up_failures AS failures, t.due_at AS "dueAt", ${openState} AS state, t.not_known_since AS "notKnownSince",
      t.line_id AS "lineId", coalesce(e.environment, t.environment) AS environment, e.history_revision AS "historyRevision"
    FROM begun t LEFT JOIN store_entitlements e ON e.line_id = t.line_id AND e.application_id = t.application_id`;
  const { rows } = await connection.query<BegunLookUp>(statement);
  return rows[0] ?? null;
}

/** When the next transaction of the line is due, not before the present; null where none waits. */
export async function findNextLookUp(connection: SqlConnection, { applicationId, behind }: Line): Promise<Date | null> {
  const statement = prepared('find_next_look_up')`/* purchases: findNextLookUp */
    SELECT CASE WHEN EXISTS (SELECT FROM store_transactions
        WHERE application_id = ${applicationId} AND ${lineOf} = ${behind ? 1 : 0} AND look_up_at <= now()
          AND (looking_until IS NULL OR looking_until < now())) THEN now()
      ELSE (SELECT min(look_up_at) FROM store_transactions
        WHERE application_id = ${applicationId} AND ${lineOf} = ${behind ? 1 : 0} AND look_up_at > now()) END AS at`;
  const { rows } = await connection.query<{ at: Date | null }>(statement);
  return rows[0]?.at ?? null;
}

/** Before each call of the look-up but the first: `beginLookUp` precedes that one. */
export async function goOnLookingUp(connection: SqlConnection, key: TransactionKey): Promise<void> {
  await connection.query(prepared('go_on_looking_up')`/* purchases: goOnLookingUp */
    UPDATE store_transactions t SET looking_until = lease.ends,
      look_up_at = CASE WHEN ${isOwn} THEN lease.ends ELSE t.look_up_at END
    FROM ${lease} WHERE t.id = ${key.transactionId} AND t.application_id = ${key.applicationId}`);
}

/** The look-up ended without a result. The transaction goes back to its place. */
export async function leaveLookUp(connection: SqlConnection, key: TransactionKey, dueAt: Date): Promise<void> {
  await connection.query(prepared('leave_look_up')`/* purchases: leaveLookUp */
    UPDATE store_transactions t SET looking_until = NULL,
      look_up_at = CASE WHEN ${isOwn} THEN ${dueAt}::timestamptz ELSE t.look_up_at END
    WHERE t.id = ${key.transactionId} AND t.application_id = ${key.applicationId}`);
}

/** The look-up failed inside the service, and is repeated after a growing pause of up to six hours. */
export async function putOffLookUp(connection: SqlConnection, key: TransactionKey): Promise<void> {
  await connection.query(prepared('put_off_look_up')`/* purchases: putOffLookUp */
    UPDATE store_transactions t SET looking_until = NULL, look_up_failures = t.look_up_failures + 1,
      look_up_round = greatest(t.look_up_round, t.look_up_failures + 1),
      look_up_at = now() + interval '1 second' * exp(least(10, t.look_up_failures + 1))
    WHERE t.id = ${key.transactionId} AND t.application_id = ${key.applicationId}`);
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
  /** When the store is asked again by itself, and after how many look-ups; null for no more. */
  again: { at: Date; attempt: number } | null;
}

/** A final state is left by success alone. */
const isTaken = (state: TransactionState) =>
  sql`(${openState} = 'PENDING' OR t.state <> 'RESOLVED' AND ${state}::text = 'RESOLVED')`;

/** The look-up has ended. */
export async function saveLookUp(
  connection: SqlConnection,
  { applicationId, transactionId }: TransactionKey,
  { state, reason, error, lookedUpAt, lineId, notKnownSince, again }: LookUpOutcome,
): Promise<void> {
  const attempt = again?.attempt ?? 0;
  await connection.query(prepared('save_look_up')`/* purchases: saveLookUp */
    UPDATE store_transactions t SET looking_until = NULL, waits = false, takes_place = false, last_look_up_error = ${error},
      last_looked_up_at = coalesce(${lookedUpAt}, t.last_looked_up_at), line_id = coalesce(${lineId}, t.line_id),
      not_known_since = ${notKnownSince}, look_up_failures = 0,
      look_up_at = CASE WHEN ${isOwn} THEN ${again?.at ?? null}::timestamptz ELSE t.look_up_at END,
      look_up_attempt = CASE WHEN ${isOwn} THEN ${attempt}::int ELSE t.look_up_attempt END,
      look_up_round = CASE WHEN ${isOwn} THEN greatest(t.look_up_round, ${attempt}::int) ELSE t.look_up_round END,
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
): Promise<string[]> {
  const statement = prepared('find_waiting_transactions')`/* purchases: findWaitingTransactions */
    SELECT id FROM store_transactions
    WHERE application_id = ${applicationId} AND id > ${after} AND reason IS DISTINCT FROM 'waiting_in_line'
      AND (state = 'PENDING' AND (${putOff} OR reason = ANY(${waitingReasons}))
        OR last_look_up_error = ANY(${waitingReasons}))
    ORDER BY id LIMIT ${limit}`;
  const { rows } = await connection.query<{ id: string }>(statement);
  return rows.map(({ id }) => id);
}

export interface Entrant extends TransactionKey {
  attempt?: number;
  /** Only status and history are to be read. A request for a whole look-up stays one. */
  ended?: boolean;
}

/**
 * The transactions are due now, each in the line of its device, after what a device has just uploaded; those of ended periods come
 * first behind. Returns the lines that have got one. Locks the rows in the order of their ids, as all others do.
 */
export async function enterLines(transaction: SqlConnection, entrants: readonly Entrant[]): Promise<Line[]> {
  if (entrants.length === 0) return [];
  const ids = entrants.map(({ transactionId }) => transactionId);
  const applicationIds = entrants.map(({ applicationId }) => applicationId);
  const attempts = entrants.map(({ attempt = 0 }) => attempt);
  const ended = entrants.map((one) => one.ended ?? false);
  const statement = prepared('enter_lines')`/* purchases: enterLines */
    WITH entrants AS MATERIALIZED (
      SELECT s.id, s.application_id, e.attempt, e.ended, s.uploaded_by
      FROM unnest(${ids}::text[], ${applicationIds}::uuid[], ${attempts}::int[], ${ended}::boolean[])
        AS e (id, application_id, attempt, ended)
      JOIN store_transactions s ON s.id = e.id AND s.application_id = e.application_id
      ORDER BY s.id COLLATE "C", s.application_id FOR UPDATE OF s),
    placed AS (
      SELECT e.*, row_number() OVER (PARTITION BY e.application_id, e.uploaded_by ORDER BY e.id) AS turn FROM entrants e),
    entered AS (
      UPDATE store_transactions t SET look_up_at = now(), look_up_attempt = p.attempt, look_up_failures = 0,
        look_up_round = CASE WHEN p.ended THEN -1 ELSE least(greatest(p.turn, p.attempt), 1000) END,
        look_up_ended = p.ended AND (t.look_up_at IS NULL OR t.look_up_ended)
      FROM placed p WHERE t.id = p.id AND t.application_id = p.application_id
      RETURNING t.application_id, ${lineOf} AS line)
    SELECT DISTINCT application_id AS "applicationId", line = 1 AS behind FROM entered`;
  const { rows } = await transaction.query<Line>(statement);
  return rows;
}
