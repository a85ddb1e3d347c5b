// Counts what the service refuses of requests with a valid key: in memory, and every few seconds in the database.
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { empty, prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import { inRemovalTransaction, inTransaction, type Transaction } from '../platform/database/transaction.ts';
import type { Log } from '../platform/observability/log.ts';

/** One fault of a refused request. It never holds a value that was sent. */
export interface Fault {
  status: number;
  /** One word for programs. */
  reason: string;
  /** As `fields[].path` has it; empty for the whole request. */
  path: string;
  message: string;
}

export interface RefusedRequest {
  applicationId: string;
  operation: string;
  /** Null where it could not be read. */
  sdkVersion: number | null;
  appVersion: number | null;
  at: Date;
  faults: readonly Fault[];
}

/** Equal faults of one application. */
export interface CountedIssue extends Omit<RefusedRequest, 'at' | 'faults'> {
  status: number;
  reason: string;
  /** With `[]` for the indexes. */
  path: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  samplePath: string;
  sampleMessage: string;
}

export interface IssueCounts {
  /** Only counts in memory, and never fails. */
  note(refused: RefusedRequest): void;
  /** Stores what was counted. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface IssueCountsOptions {
  save(issues: CountedIssue[]): Promise<void>;
  log: Pick<Log, 'warn'>;
  everyMillis?: number;
}

/** `ingestIssues` shows a refusal after 15 seconds, also when one write fails. */
const writeEveryMillis = 5_000;
/** Of one application, between two writes. */
export const mostLines = 200;
/** Of all applications, while the database is away. */
export const mostLinesOfAll = 10_000;
/** Whole: no zone's day begins within one, so that each line is of one day. */
const quarterMillis = 15 * 60_000;

export function createIssueCounts({ save, log, everyMillis = writeEveryMillis }: IssueCountsOptions): IssueCounts {
  const held = new HeldLines(log);
  let writing = Promise.resolve();
  async function write(): Promise<void> {
    const issues = held.take();
    if (issues.length === 0) return;
    try {
      await save(issues);
      held.written();
    } catch (error) {
      for (const issue of issues) held.add(issue);
      log.warn({ err: error }, 'the counts of refused requests could not be written');
    }
  }
  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), everyMillis).unref();
  return {
    note(refused) {
      for (const issue of issuesOf(refused)) held.add(issue);
    },
    flush,
    stop() {
      clearInterval(timer);
      return flush();
    },
  };
}

/** The lines until the next write. */
class HeldLines {
  readonly #log: Pick<Log, 'warn'>;
  #lines = new Map<string, CountedIssue>();
  /** How many each application and quarter has. */
  #counts = new Map<string, number>();
  #hasDropped = false;

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  add(issue: CountedIssue): void {
    const quarter = Math.floor(issue.firstAt.getTime() / quarterMillis);
    const place = `${issue.applicationId} ${quarter}`;
    const known = this.#lines.get(keyOf(issue, place));
    if (known) return merge(known, issue);
    const count = this.#counts.get(place) ?? 0;
    const isFull = this.#lines.size >= mostLinesOfAll;
    if ((isFull || count >= mostLines) && issue.reason !== 'other') return this.add(asOther(issue));
    if (isFull) return this.#drop();
    this.#counts.set(place, count + 1);
    this.#lines.set(keyOf(issue, place), issue);
  }

  take(): CountedIssue[] {
    const issues = [...this.#lines.values()];
    this.#lines = new Map();
    this.#counts = new Map();
    return issues;
  }

  written(): void {
    this.#hasDropped = false;
  }

  /** Each application and quarter has a line of its own for the rest, so that these too need a bound. */
  #drop(): void {
    if (!this.#hasDropped)
      this.#log.warn({ mostLinesOfAll }, 'refused requests are no longer counted until the counts are written');
    this.#hasDropped = true;
  }
}

/** One for each path, however many entries of a list have the fault. */
function issuesOf({ faults, at, ...request }: RefusedRequest): CountedIssue[] {
  const byPath = new Map<string, CountedIssue>();
  for (const { path: samplePath, message: sampleMessage, ...fault } of faults) {
    const path = withoutIndexes(samplePath);
    if (byPath.has(path)) continue;
    byPath.set(path, { ...request, ...fault, path, count: 1, firstAt: at, lastAt: at, samplePath, sampleMessage });
  }
  return [...byPath.values()];
}

/** A part of the primary key of the table, and each character may have four bytes. */
const longestPath = 256;

function withoutIndexes(path: string): string {
  const general = path.replace(/\[\d+\]/g, '[]');
  return general.length <= longestPath ? general : [...general].slice(0, longestPath).join('');
}

const keyOf = (issue: CountedIssue, place: string): string => `${place} ${lineOf(issue)}`;

/** What makes two issues of one application and day the same line. */
export function lineOf({ operation, status, reason, path, sdkVersion, appVersion }: CountedIssue): string {
  return `${operation} ${status} ${reason} ${sdkVersion} ${appVersion} ${path}`;
}

export function asOther(issue: CountedIssue): CountedIssue {
  const none = { path: '', sdkVersion: null, appVersion: null };
  return { ...issue, ...none, operation: 'other', status: 0, reason: 'other' };
}

function merge(into: CountedIssue, { count, firstAt, lastAt }: CountedIssue): void {
  into.count += count;
  if (firstAt < into.firstAt) into.firstAt = firstAt;
  if (lastAt > into.lastAt) into.lastAt = lastAt;
}

// The SQL of `ingest_issues`: adds what a process has counted, within the lines of a day, and reads pages.

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

// The SQL that removes the counted refusals of a deleted application.

const removedAtOnce = 1_000;

/** Removes one batch. Returns whether there may be more. */
export function removeIssues(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(prepared('remove_issues')`/* analytics: removeIssues */
      WITH batch AS MATERIALIZED (
        SELECT application_id, day, line FROM ingest_issues WHERE application_id = ${applicationId} LIMIT ${removedAtOnce})
      DELETE FROM ingest_issues i USING batch
      WHERE i.application_id = batch.application_id AND i.day = batch.day AND i.line = batch.line`);
    return rowCount === removedAtOnce;
  });
}
