// The SQL that finds look-ups without a job: of lines whose period has ended, and of transactions that wait for a place.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { WaitingLookUps } from '../platform/observability/jobMetrics.ts';
import { retriedForMillis } from './entitlement.ts';
import type { Line } from './storeJobs.ts';
import { lineOf, type Entrant } from './storeTransactionsStore.ts';

/** Mostly none is, and the search needs no transaction. */
export async function isAnyLineDue(connection: SqlConnection, now: Date): Promise<boolean> {
  const statement = prepared('is_any_line_due')`/* purchases: isAnyLineDue */
    SELECT EXISTS (SELECT FROM store_entitlements WHERE next_look_up_at <= ${now}) AS due`;
  const { rows } = await connection.query<{ due: boolean }>(statement);
  return rows[0]!.due;
}

export interface DueLine extends Entrant {
  lineId: string;
}

/** The lines that are due, by the latest transaction of each, or by any where an older release stored the line. */
export async function findDueLines(
  connection: SqlConnection,
  { now, limit }: { now: Date; limit: number },
): Promise<DueLine[]> {
  const statement = prepared('find_due_lines')`/* purchases: findDueLines */
    SELECT e.line_id AS "lineId", e.application_id AS "applicationId", e.kind = 'AUTO_RENEWABLE' AS ended,
      coalesce(e.transaction_id, (SELECT t.id FROM store_transactions t
        WHERE t.line_id = e.line_id AND t.application_id = e.application_id LIMIT 1), e.line_id) AS "transactionId"
    FROM store_entitlements e WHERE e.next_look_up_at <= ${now} ORDER BY e.next_look_up_at LIMIT ${limit}`;
  const { rows } = await connection.query<DueLine>(statement);
  return rows;
}

/**
 * A line whose paid end is at most 60 days back is due again a day later, in case that its look-up brings nothing. Any other
 * line has no further time. A look-up that succeeds sets the right time. Rows of transactions are locked before those of
 * lines, so this comes after `enterLines`. Returns how many of them were still due.
 */
export async function noteLinesAsked(transaction: Transaction, lines: DueLine[], now: Date): Promise<number> {
  const lineIds = lines.map(({ lineId }) => lineId);
  const applicationIds = lines.map(({ applicationId }) => applicationId);
  const statement = prepared('note_lines_asked')`/* purchases: noteLinesAsked */
    WITH due AS MATERIALIZED (
      SELECT e.line_id, e.application_id FROM store_entitlements e
      JOIN unnest(${lineIds}::text[], ${applicationIds}::uuid[]) AS l (line_id, application_id)
        ON l.line_id = e.line_id AND l.application_id = e.application_id
      WHERE e.next_look_up_at <= ${now} ORDER BY e.line_id COLLATE "C", e.application_id FOR UPDATE OF e)
    UPDATE store_entitlements e SET next_look_up_at = CASE
      WHEN e.expires_at > ${now}::timestamptz - make_interval(secs => ${retriedForMillis / 1_000}::float8)
        THEN ${now}::timestamptz + interval '1 day' END
    FROM due WHERE e.line_id = due.line_id AND e.application_id = due.application_id`;
  const { rowCount } = await transaction.query(statement);
  return rowCount ?? 0;
}

/** The applications in which transactions wait for a place, one after the other. Null after the last. */
export async function nextWaitingApplication(connection: SqlConnection, after: string | null): Promise<string | null> {
  const statement = prepared('next_waiting_application')`/* purchases: nextWaitingApplication */
    SELECT application_id AS id FROM store_transactions
    WHERE reason = 'waiting_in_line' AND (${after}::uuid IS NULL OR application_id > ${after}::uuid)
    ORDER BY application_id LIMIT 1`;
  const { rows } = await connection.query<{ id: string }>(statement);
  return rows[0]?.id ?? null;
}

/** Devices take turns, and of one turn the first come first. */
export async function takeWaiting(
  transaction: Transaction,
  { applicationId, limit }: { applicationId: string; limit: number },
): Promise<number> {
  const { rowCount } = await transaction.query(prepared('take_waiting_in_line')`/* purchases: takeWaiting */
    WITH next AS MATERIALIZED (
      SELECT id FROM store_transactions
      WHERE reason = 'waiting_in_line' AND application_id = ${applicationId}
      ORDER BY look_up_round, received_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE store_transactions t SET reason = NULL, waits = true, takes_place = true, behind = true, look_up_at = now(),
      look_up_attempt = 0, look_up_failures = 0, look_up_ended = false
    FROM next WHERE t.id = next.id AND t.application_id = ${applicationId}`);
  return rowCount ?? 0;
}

/** The lines in which a transaction is due, and no job takes it within a minute: a process ended after it had stored the transaction. */
export async function findForgottenLines(connection: SqlConnection): Promise<Line[]> {
  const { rows } = await connection.query<Line>(prepared('find_forgotten_lines')`/* purchases: findForgottenLines */
    WITH RECURSIVE lines AS (
      (SELECT application_id, ${lineOf} AS line FROM store_transactions WHERE look_up_at IS NOT NULL
        ORDER BY application_id, ${lineOf} LIMIT 1)
      UNION ALL
      SELECT next.application_id, next.line FROM lines CROSS JOIN LATERAL (
        SELECT application_id, ${lineOf} AS line FROM store_transactions
        WHERE look_up_at IS NOT NULL AND (application_id, ${lineOf}) > (lines.application_id, lines.line)
        ORDER BY application_id, ${lineOf} LIMIT 1) next)
    SELECT application_id AS "applicationId", line = 1 AS behind FROM lines
    WHERE EXISTS (SELECT FROM store_transactions t WHERE t.application_id = lines.application_id
        AND ${lineOf} = lines.line AND t.look_up_at <= now() AND (t.looking_until IS NULL OR t.looking_until < now()))
      AND NOT EXISTS (SELECT FROM graphile_worker.jobs j
        WHERE j.attempts < j.max_attempts AND j.run_at < now() + interval '65 seconds'
          AND j.key = 'resolveTransactions' || CASE line WHEN 1 THEN 'Behind' ELSE '' END || ':' || application_id::text)`);
  return rows;
}

/** Reads the index of the lines. */
export async function countWaitingLookUps(connection: SqlConnection): Promise<WaitingLookUps[]> {
  const { rows } = await connection.query<WaitingLookUps>(prepared(
    'count_waiting_look_ups',
  )`/* purchases: countWaitingLookUps */
    SELECT CASE line WHEN 1 THEN 'behind' ELSE 'front' END AS line, count(t.look_up_at)::int AS due,
      coalesce(extract(epoch FROM now() - min(t.look_up_at)), 0)::float8 AS "oldestDueSeconds"
    FROM generate_series(0, 1) AS line LEFT JOIN store_transactions t ON ${lineOf} = line AND t.look_up_at <= now()
    GROUP BY line ORDER BY line`);
  return rows;
}
