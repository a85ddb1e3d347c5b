// The SQL that finds look-ups without a job: of lines whose period has ended, and of transactions that wait for a place.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { retriedForMillis } from './entitlement.ts';
import type { WaitingTransaction } from './storeJobs.ts';

/** Mostly none is, and the search needs no transaction. */
export async function isAnyLineDue(connection: SqlConnection, now: Date): Promise<boolean> {
  const statement = prepared('is_any_line_due')`/* purchases: isAnyLineDue */
    SELECT EXISTS (SELECT FROM store_entitlements WHERE next_look_up_at <= ${now}) AS due`;
  const { rows } = await connection.query<{ due: boolean }>(statement);
  return rows[0]!.due;
}

type DueLine = Pick<WaitingTransaction, 'applicationId' | 'transactionId' | 'ended'>;

/**
 * The lines that are due, by the latest transaction of each, or by any where an older release stored the line.
 * A line whose paid end is at most 60 days back is due again a day later, in case that its look-up brings nothing. Any other
 * line has no further time. A look-up that succeeds sets the right time.
 */
export async function takeDueLines(
  transaction: Transaction,
  { now, limit }: { now: Date; limit: number },
): Promise<WaitingTransaction[]> {
  const statement = prepared('take_due_lines')`/* purchases: takeDueLines */
    WITH due AS MATERIALIZED (
      SELECT line_id, application_id FROM store_entitlements WHERE next_look_up_at <= ${now}
      ORDER BY next_look_up_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE store_entitlements e SET next_look_up_at = CASE
      WHEN e.expires_at > ${now}::timestamptz - make_interval(secs => ${retriedForMillis / 1_000}::float8)
        THEN ${now}::timestamptz + interval '1 day' END
    FROM due WHERE e.line_id = due.line_id AND e.application_id = due.application_id
    RETURNING e.application_id AS "applicationId", e.kind = 'AUTO_RENEWABLE' AS ended,
      coalesce(e.transaction_id, (SELECT t.id FROM store_transactions t
        WHERE t.line_id = e.line_id AND t.application_id = e.application_id LIMIT 1), e.line_id) AS "transactionId"`;
  const { rows } = await transaction.query<Required<Pick<WaitingTransaction, keyof DueLine>>>(statement);
  return rows.map((row) => ({ ...row, behind: false }));
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

/** The first come first. */
export async function takeWaiting(
  transaction: Transaction,
  { applicationId, limit }: { applicationId: string; limit: number },
): Promise<WaitingTransaction[]> {
  const statement = prepared('take_waiting_in_line')`/* purchases: takeWaiting */
    WITH next AS MATERIALIZED (
      SELECT id FROM store_transactions
      WHERE reason = 'waiting_in_line' AND application_id = ${applicationId}
      ORDER BY received_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE store_transactions t SET reason = NULL, waits = true, takes_place = true, behind = true FROM next
    WHERE t.id = next.id AND t.application_id = ${applicationId} RETURNING t.id`;
  const { rows } = await transaction.query<{ id: string }>(statement);
  return rows.map(({ id }) => ({ applicationId, transactionId: id, behind: true }));
}
