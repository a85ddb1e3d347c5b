// The job that reads the store's history of notifications, and stores those that were missed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import { inTransaction, retryConflicts, type Transaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import type { Log } from '../platform/observability/log.ts';
import { type Backoff, retryDelay } from '../platform/outboundCalls.ts';
import { pauseCalls, takeCallSlot } from './callSlotsStore.ts';
import { keepNotification, type NotificationOutcome } from './keepNotification.ts';
import { patienceBehind } from './resolveTransactions.ts';
import { knownType } from './signedData.ts';
import {
  type NotificationPage,
  type StoreClient,
  type StoreEnvironment,
  storeVerdict,
  type StoreVerdict,
} from './storeClient.ts';
import { findStoreCredentials } from './storeCredentials.ts';
import { addNotificationReadJobs } from './storeJobs.ts';
import type { OpenStore } from './storeOpener.ts';

export interface NotificationReadDeps {
  pool: Pool;
  log: Log;
  encryption: Encryption;
  openStore: OpenStore;
  callsPerSecond: number;
  backoff: Backoff;
  notified(labels: { type: string; outcome: NotificationOutcome }): void;
  notificationRefused(reason: string): void;
  notificationsRead(outcome: 'complete' | 'postponed' | 'failed'): void;
  now(): Date;
}

type Job = JobPayloads['readNotifications'];

const hour = 3_600_000;
/** The history may learn of a notification a little after it was signed. */
const overlapMillis = hour;
/** The first read begins a day back: what came before was another server's. */
const firstMillis = 24 * hour;
/** A job ends after so many pages of 20, and another one goes on. */
const pagesAtOnce = 50;
const untilConfigured = 10 * 60_000;

interface Reading {
  job: Job;
  deps: NotificationReadDeps;
  signal: AbortSignal;
}

/** Idempotent: each page is saved after its notifications, and a known notification changes nothing. */
export async function readNotifications(job: Job, deps: NotificationReadDeps, signal: AbortSignal): Promise<void> {
  const { pool, encryption, openStore, now } = deps;
  const { access } = await findStoreCredentials(pool, encryption, job.applicationId);
  if (!access) return;
  const store = await openStore(access, signal);
  if (!store) return again(job, deps, new Date(now().getTime() + untilConfigured));
  const reading = { job, deps, signal };
  for (let page = 0; page < pagesAtOnce; page += 1) {
    const firstFrom = new Date(now().getTime() - firstMillis);
    const read = await beginRead(pool, job, { now: now(), firstFrom, overlapMillis });
    if (!read) return;
    const dueAt = await awaitSlot(reading, page > 0);
    if (dueAt) return again({ ...job, queued: true }, deps, dueAt);
    const goesOn = await readPage(store, read, reading);
    if (!goesOn) return;
  }
  await again({ applicationId: job.applicationId, environment: job.environment, queued: true }, deps, now());
}

/** After the look-ups for devices. Null when the call may be made; else the time when the job asks again. */
async function awaitSlot({ job, deps, signal }: Reading, begun: boolean): Promise<Date | null> {
  const { pool, callsPerSecond: perSecond } = deps;
  const queued = begun || job.queued === true;
  const request = { applicationId: job.applicationId, perSecond, queued, behind: true };
  const { granted, waitMillis, dueAt } = await takeCallSlot(pool, {
    ...request,
    patienceMillis: patienceBehind(perSecond),
  });
  if (!granted) return dueAt;
  if (waitMillis > 0) await sleep(waitMillis, undefined, { signal });
  return null;
}

/** True when there is another page. */
async function readPage(store: StoreClient, read: BegunRead, reading: Reading): Promise<boolean> {
  const { job, deps, signal } = reading;
  const response = await store.notifications(job.environment, read);
  // The shutdown ended this call, so its failure says nothing about the store.
  signal.throwIfAborted();
  if ('failure' in response) {
    await noteFailure(storeVerdict(response.failure), read, reading);
    return false;
  }
  const { notifications, token } = response.value;
  await keepAll(notifications, reading);
  await savePage(deps.pool, job, { before: read, token });
  if (token !== null) return true;
  deps.notificationsRead('complete');
  deps.log.info({ ...keyOf(job), until: read.until }, 'the history of notifications was read');
  // A read that waited for days has its end in the past.
  return deps.now().getTime() - read.until.getTime() > overlapMillis;
}

/** One transaction each: two notifications of one transaction would lock lines in different orders. */
async function keepAll(notifications: NotificationPage['notifications'], { job, deps }: Reading): Promise<void> {
  const { pool, now } = deps;
  for (const notification of notifications) {
    if ('unverified' in notification) {
      deps.notificationRefused(notification.unverified);
      continue;
    }
    const arrival = { applicationId: job.applicationId, notification, fetched: true, now: now() };
    const outcome = await retryConflicts(() =>
      inTransaction(pool, (transaction) => keepNotification(transaction, arrival)),
    );
    deps.notified({ type: knownType(notification.type), outcome });
  }
}

/** What is read so far stays. Beyond the retries the next day's read goes on from there. */
async function noteFailure(verdict: StoreVerdict, read: BegunRead, { job, deps }: Reading): Promise<void> {
  const { pool, log, now, backoff } = deps;
  const attempt = (job.attempt ?? 0) + 1;
  // Only a first page says that the store refuses the question: the token of a later one may have expired.
  const tokenRefused = verdict.verdict === 'failed' && read.token !== null;
  if (tokenRefused) await restartRead(pool, job);
  const delay = tokenRefused || verdict.verdict === 'retry' ? retryDelay(attempt, Math.random(), backoff) : null;
  const cause = verdict.verdict === 'retry' ? verdict.cause : verdict.verdict;
  log.warn({ ...keyOf(job), cause }, 'the history of notifications could not be read');
  deps.notificationsRead(delay === null ? 'failed' : 'postponed');
  if (delay === null) return;
  const retryAt = verdict.verdict === 'retry' ? verdict.retryAt : null;
  if (retryAt) await pauseCalls(pool, job.applicationId, retryAt);
  await again({ ...job, attempt }, deps, new Date(Math.max(now().getTime() + delay, retryAt?.getTime() ?? 0)));
}

function again(job: Job, { pool }: NotificationReadDeps, runAt: Date): Promise<void> {
  return addNotificationReadJobs(pool, [job], runAt);
}

const keyOf = ({ applicationId, environment }: Job) => ({ applicationId, environment });

// What each worker repeats: it queues the reads of the store's history of notifications, once a day and after an outage.

/** Workers repeat this four times a minute, and a failed run comes again after a minute. */
const outageMillis = 120_000;
const batch = 1_000;

/** openapi.yaml, "Missed notifications", says what an outage is. */
export async function queueNotificationReads(pool: Pool, now = new Date()): Promise<void> {
  await noteWatch(pool, { now, outageMillis });
  await addReads(pool, now);
  if (!(await isAnyReadDue(pool, now))) return;
  let taken = batch;
  while (taken === batch) {
    taken = await inTransaction(pool, async (transaction) => {
      const due = await takeDueReads(transaction, { now, limit: batch });
      await addNotificationReadJobs(transaction, due);
      return due.length;
    });
  }
}

// The SQL of the reads of the store's history of notifications: which are due, and how far each has come.

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
