// The SQL of the reads of the store's history of notifications: which are due, and how far each has come.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { StoreEnvironment } from './storeClient.ts';

export interface ReadKey {
  applicationId: string;
  environment: StoreEnvironment;
}

/**
 * Notes that a worker sees the database. After an outage, when no worker has noted it for `outageMillis`, all reads are
 * due. One statement: a killed worker forgets no outage. The count makes PostgreSQL compare before it notes.
 */
export async function noteWatch(
  connection: SqlConnection,
  { now, outageMillis }: { now: Date; outageMillis: number },
): Promise<void> {
  await connection.query(prepared('note_watch')`/* purchases: noteWatch */
    WITH before AS MATERIALIZED (SELECT seen_at FROM store_watch WHERE one FOR UPDATE),
    due AS (
      UPDATE store_notification_reads SET due_at = ${now}::timestamptz FROM before
      WHERE before.seen_at < ${now}::timestamptz - make_interval(secs => ${outageMillis / 1_000}::float8)
        AND due_at > ${now}::timestamptz RETURNING 1)
    INSERT INTO store_watch AS w (one, seen_at)
    SELECT true, ${now}::timestamptz FROM (SELECT count(*) FROM due) first
    ON CONFLICT (one) DO UPDATE SET seen_at = greatest(w.seen_at, excluded.seen_at)`);
}

/** Mostly none is, and the search needs no transaction. */
export async function isAnyReadDue(connection: SqlConnection, now: Date): Promise<boolean> {
  const statement = prepared('is_any_read_due')`/* purchases: isAnyReadDue */
    SELECT EXISTS (SELECT FROM store_notification_reads WHERE due_at <= ${now}) AS due`;
  const { rows } = await connection.query<{ due: boolean }>(statement);
  return rows[0]!.due;
}

/** Both environments of each application that got store credentials since the last call. */
export async function addReads(connection: SqlConnection, now: Date): Promise<void> {
  await connection.query(prepared('add_notification_reads')`/* purchases: addReads */
    INSERT INTO store_notification_reads (application_id, environment, due_at)
    SELECT c.application_id, environment, ${now}
    FROM store_credentials c CROSS JOIN unnest(enum_range(NULL::store_environment)) environment
    WHERE NOT EXISTS (SELECT FROM store_notification_reads r WHERE r.application_id = c.application_id)
    ON CONFLICT DO NOTHING`);
}

/** The reads that are due. Each is due again a day later. */
export async function takeDueReads(
  transaction: Transaction,
  { now, limit }: { now: Date; limit: number },
): Promise<ReadKey[]> {
  const { rows } = await transaction.query<ReadKey>(prepared('take_due_reads')`/* purchases: takeDueReads */
    WITH due AS MATERIALIZED (
      SELECT application_id, environment FROM store_notification_reads WHERE due_at <= ${now}
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE store_notification_reads r SET due_at = ${now}::timestamptz + interval '1 day' FROM due
    WHERE r.application_id = due.application_id AND r.environment = due.environment
    RETURNING r.application_id AS "applicationId", r.environment`);
  return rows;
}

/** A read that is under way. */
export interface BegunRead {
  from: Date;
  until: Date;
  /** Null before the first page. */
  token: string | null;
}

/** The read that is under way, or a new one from `overlapMillis` before the end of the last complete one. Null without a row. */
export async function beginRead(
  connection: SqlConnection,
  { applicationId, environment }: ReadKey,
  { now, firstFrom, overlapMillis }: { now: Date; firstFrom: Date; overlapMillis: number },
): Promise<BegunRead | null> {
  const { rows } = await connection.query<BegunRead>(prepared('begin_notification_read')`/* purchases: beginRead */
    UPDATE store_notification_reads SET
      reading_from = coalesce(reading_from,
        read_until - make_interval(secs => ${overlapMillis / 1_000}::float8), ${firstFrom}::timestamptz),
      reading_until = CASE WHEN page_token IS NULL THEN ${now}::timestamptz ELSE reading_until END
    WHERE application_id = ${applicationId} AND environment = ${environment}::store_environment
    RETURNING reading_from AS "from", reading_until AS until, page_token AS token`);
  return rows[0] ?? null;
}

/** After a page. A run that another one has overtaken changes nothing. */
export async function savePage(
  connection: SqlConnection,
  { applicationId, environment }: ReadKey,
  { before, token }: { before: BegunRead; token: string | null },
): Promise<void> {
  await connection.query(prepared('save_notification_page')`/* purchases: savePage */
    UPDATE store_notification_reads SET page_token = ${token},
      read_until = CASE WHEN ${token}::text IS NULL THEN reading_until ELSE read_until END,
      reading_from = CASE WHEN ${token}::text IS NOT NULL THEN reading_from END,
      reading_until = CASE WHEN ${token}::text IS NOT NULL THEN reading_until END
    WHERE application_id = ${applicationId} AND environment = ${environment}::store_environment
      AND reading_until = ${before.until} AND page_token IS NOT DISTINCT FROM ${before.token}`);
}

/** The read begins anew at its first page. */
export async function restartRead(connection: SqlConnection, { applicationId, environment }: ReadKey): Promise<void> {
  await connection.query(prepared('restart_notification_read')`/* purchases: restartRead */
    UPDATE store_notification_reads SET page_token = NULL
    WHERE application_id = ${applicationId} AND environment = ${environment}::store_environment`);
}
