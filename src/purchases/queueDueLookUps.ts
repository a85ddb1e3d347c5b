// What each worker repeats: look-ups of lines whose period has ended, of transactions that wait for a place, and of forgotten ones.
import type { Pool } from 'pg';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import type { JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import type { WaitingLookUps } from '../platform/observability/metrics.ts';
import { retriedForMillis } from './entitlement.ts';
import { addRetryOfPending, type Line, wakeLines } from './storeJobs.ts';
import { enterLines, type Entrant, findWaitingTransactions, lineOf } from './storeTransactionsStore.ts';
import { findVacancies, lockPlaces } from './uploadsStore.ts';

/** A short transaction each: no upload of one of them waits long. */
const batch = 2_000;

/** Lines are found by their index, and no job waits for a later end. Returns how many were queued. */
export async function queueDueLookUps(pool: Pool, now = new Date()): Promise<number> {
  let queued = 0;
  // Mostly none is, and the search needs no transaction.
  const { rows } = await pool.query<{ due: boolean }>(prepared('is_any_line_due')`/* purchases: isAnyLineDue */
    SELECT EXISTS (SELECT FROM store_entitlements WHERE next_look_up_at <= ${now}) AS due`);
  if (!rows[0]!.due) return queued;
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
    if (places <= 0) return 0;
    // Devices take turns, and of one turn the first come first.
    const { rowCount } = await transaction.query(prepared('take_waiting_in_line')`/* purchases: takeWaiting */
      WITH next AS MATERIALIZED (
        SELECT id FROM store_transactions
        WHERE reason = 'waiting_in_line' AND application_id = ${applicationId}
        ORDER BY look_up_round, received_at, id LIMIT ${places} FOR UPDATE SKIP LOCKED)
      UPDATE store_transactions t SET reason = NULL, waits = true, takes_place = true, behind = true, look_up_at = now(),
        look_up_attempt = 0, look_up_failures = 0, look_up_ended = false
      FROM next WHERE t.id = next.id AND t.application_id = ${applicationId}`);
    return rowCount ?? 0;
  });
  if (taken > 0) await wakeLines(pool, [{ applicationId, behind: true }]);
}

/** A process stores transactions before it adds their job, and may have ended between: no job takes them within a minute. */
export async function queueForgottenLookUps(pool: Pool): Promise<void> {
  const { rows } = await pool.query<Line>(prepared('find_forgotten_lines')`/* purchases: findForgottenLines */
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
  await wakeLines(pool, rows);
}

interface DueLine extends Entrant {
  lineId: string;
}

/** The lines that are due, by the latest transaction of each, or by any where an older release stored the line. */
async function findDueLines(
  transaction: Transaction,
  { now, limit }: { now: Date; limit: number },
): Promise<DueLine[]> {
  const statement = prepared('find_due_lines')`/* purchases: findDueLines */
    SELECT e.line_id AS "lineId", e.application_id AS "applicationId", e.kind = 'AUTO_RENEWABLE' AS ended,
      coalesce(e.transaction_id, (SELECT t.id FROM store_transactions t
        WHERE t.line_id = e.line_id AND t.application_id = e.application_id LIMIT 1), e.line_id) AS "transactionId"
    FROM store_entitlements e WHERE e.next_look_up_at <= ${now} ORDER BY e.next_look_up_at LIMIT ${limit}`;
  const { rows } = await transaction.query<DueLine>(statement);
  return rows;
}

/**
 * A line whose paid end is at most 60 days back is due again a day later, in case that its look-up brings nothing. Any other
 * line has no further time. A look-up that succeeds sets the right time. Rows of transactions are locked before those of
 * lines, so this comes after `enterLines`. Returns how many of them were still due.
 */
async function noteLinesAsked(transaction: Transaction, lines: DueLine[], now: Date): Promise<number> {
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
async function nextWaitingApplication(connection: SqlConnection, after: string | null): Promise<string | null> {
  const statement = prepared('next_waiting_application')`/* purchases: nextWaitingApplication */
    SELECT application_id AS id FROM store_transactions
    WHERE reason = 'waiting_in_line' AND (${after}::uuid IS NULL OR application_id > ${after}::uuid)
    ORDER BY application_id LIMIT 1`;
  const { rows } = await connection.query<{ id: string }>(statement);
  return rows[0]?.id ?? null;
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

const pageSize = 1_000;

/** The job after new store credentials: queues each waiting transaction of the application, in pages. */
export async function retryPendingTransactions(
  job: JobPayloads['retryPendingTransactions'],
  { pool }: { pool: Pool },
): Promise<void> {
  const { applicationId } = job;
  const lines = await inTransaction(pool, async (transaction) => {
    const found = await findWaitingTransactions(transaction, { ...job, limit: pageSize });
    const entrants = found.map((transactionId) => ({ applicationId, transactionId }));
    if (found.length === pageSize) await addRetryOfPending(transaction, { ...job, after: found.at(-1)! });
    return enterLines(transaction, entrants);
  });
  await wakeLines(pool, lines);
}
