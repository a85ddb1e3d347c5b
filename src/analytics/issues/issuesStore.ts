// The SQL of `ingest_issues`: adds what a process has counted, within the lines of a day, and reads pages.
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { empty, prepared, sql } from '../../platform/database/sql.ts';
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { lineOf, mostLines, type CountedIssue } from './issueCounts.ts';

const batchSize = 500;

/** Several processes add up. One at a time, so that together they keep to the lines of a day. */
export async function saveIssues(pool: Pool, issues: readonly CountedIssue[]): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    await transaction.query(prepared('lock_issues')`/* analytics: lockIssues */
      SELECT pg_advisory_xact_lock(hashtextextended('analytics: ingest issues', 0))`);
    const timeZones = await findTimeZones(transaction, [...new Set(issues.map((each) => each.applicationId))]);
    const rows = issues.flatMap((issue) => {
      const timeZone = timeZones.get(issue.applicationId);
      return timeZone === undefined ? [] : [{ ...issue, line: digestOf(issue), day: dayIn(timeZone, issue.firstAt) }];
    });
    for (let at = 0; at < rows.length; at += batchSize) await addRows(transaction, rows.slice(at, at + batchSize));
  });
}

function digestOf(issue: CountedIssue): string {
  return issue.reason === 'other' ? 'other' : createHash('sha256').update(lineOf(issue)).digest('hex').slice(0, 32);
}

/** A deleted application has none. */
async function findTimeZones(transaction: Transaction, ids: string[]): Promise<Map<string, string>> {
  const { rows } = await transaction.query<{ id: string; timeZone: string }>(
    prepared('find_time_zones')`/* analytics: findTimeZones */
      SELECT id, time_zone AS "timeZone" FROM applications WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`,
  );
  return new Map(rows.map(({ id, timeZone }) => [id, timeZone]));
}

function dayIn(timeZone: string, at: Date): string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', { timeZone, calendar: 'gregory', ...parts }).format(at);
}

type Row = CountedIssue & { line: string; day: string };

/** A line that is not stored yet becomes `other` where its day has all its lines. */
async function addRows(transaction: Transaction, rows: Row[]): Promise<void> {
  await transaction.query(prepared('add_issues')`/* analytics: addIssues */
    WITH given AS (
      SELECT g.*, t.line IS NULL AND g.line <> 'other' AS fresh
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS g ("applicationId" uuid, day date, line text,
        operation text, status integer, reason text, path text, "sdkVersion" float8, "appVersion" float8, count bigint,
        "firstAt" timestamptz, "lastAt" timestamptz, "samplePath" text, "sampleMessage" text)
      LEFT JOIN ingest_issues t ON t.application_id = g."applicationId" AND t.day = g.day AND t.line = g.line),
    placed AS (
      SELECT g.*, g.fresh AND dense_rank() OVER (PARTITION BY "applicationId", day, fresh ORDER BY line) + (
        SELECT count(*) FROM ingest_issues t
        WHERE t.application_id = g."applicationId" AND t.day = g.day AND t.line <> 'other') > ${mostLines}::integer AS beyond
      FROM given g)
    INSERT INTO ingest_issues AS t (application_id, day, line, operation, status, reason, path, sdk_version, app_version,
      count, first_at, last_at, sample_path, sample_message)
    SELECT "applicationId", day, CASE WHEN beyond THEN 'other' ELSE line END, min(CASE WHEN beyond THEN 'other' ELSE operation END),
      min(CASE WHEN beyond THEN 0 ELSE status END), min(CASE WHEN beyond THEN 'other' ELSE reason END),
      min(CASE WHEN beyond THEN '' ELSE path END), min(CASE WHEN NOT beyond THEN "sdkVersion" END),
      min(CASE WHEN NOT beyond THEN "appVersion" END), sum(count), min("firstAt"), max("lastAt"),
      (array_agg("samplePath" ORDER BY "firstAt", "samplePath"))[1], (array_agg("sampleMessage" ORDER BY "firstAt", "samplePath"))[1]
    FROM placed GROUP BY 1, 2, 3
    ON CONFLICT (application_id, day, line) DO UPDATE SET count = t.count + excluded.count,
      first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at)`);
}

export interface IssuesPage {
  applicationId: string;
  /** Dates of the application, both included. */
  from: string;
  to: string;
  limit: number;
  after: IssuePlace | null;
}

/** The place of a line in the order: microseconds of `lastAt`, the day, the line. */
export type IssuePlace = readonly [string, string, string];

export interface StoredIssue extends Omit<CountedIssue, 'applicationId'> {
  day: string;
  place: IssuePlace;
}

export async function findIssues(
  connection: SqlConnection,
  { applicationId, from, to, limit, after }: IssuesPage,
): Promise<StoredIssue[]> {
  const isAfter = after
    ? sql`WHERE (micros, day, line COLLATE "C") < (${after[0]}::bigint, ${after[1]}::date, ${after[2]}::text)`
    : empty;
  const { rows } = await connection.query<StoredIssue>(sql`/* analytics: findIssues */
    SELECT day::text AS day, operation, status, reason, path, sdk_version AS "sdkVersion", app_version AS "appVersion",
      least(count, 2147483647)::integer AS count, first_at AS "firstAt", last_at AS "lastAt", sample_path AS "samplePath",
      sample_message AS "sampleMessage", ARRAY[micros::text, day::text, line] AS place
    FROM (
      SELECT *, (extract(epoch FROM last_at) * 1000000)::bigint AS micros FROM ingest_issues
      WHERE application_id = ${applicationId}::uuid AND day BETWEEN ${from}::date AND ${to}::date) stored
    ${isAfter} ORDER BY micros DESC, day DESC, line COLLATE "C" DESC LIMIT ${limit}`);
  return rows;
}

/** `ingestIssues` has 90 days, in any time zone. */
export async function deleteOldIssues(connection: SqlConnection): Promise<void> {
  await connection.query(prepared('delete_old_issues')`/* analytics: deleteOldIssues */
    DELETE FROM ingest_issues WHERE day < (now() AT TIME ZONE 'UTC')::date - 91`);
}
