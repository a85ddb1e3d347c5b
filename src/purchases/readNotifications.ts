// The job that reads the store's history of notifications, and stores those that were missed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { retryConflicts } from '../platform/database/retryConflicts.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Log } from '../platform/observability/log.ts';
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { pauseCalls, takeCallSlot } from './callSlotsStore.ts';
import { keepNotification, type NotificationOutcome } from './keepNotification.ts';
import { beginRead, restartRead, savePage, type BegunRead } from './notificationReadsStore.ts';
import { patienceBehind } from './resolveStoreTransaction.ts';
import { knownType } from './signedData.ts';
import type { NotificationPage, StoreClient } from './storeClient.ts';
import { findStoreCredentials } from './storeCredentialsStore.ts';
import { addNotificationReadJobs } from './storeJobs.ts';
import type { OpenStore } from './storeOpener.ts';
import { storeVerdict, type StoreVerdict } from './storeVerdict.ts';

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
  const answer = await store.notifications(job.environment, read);
  // The shutdown ended this call, so its failure says nothing about the store.
  signal.throwIfAborted();
  if ('failure' in answer) {
    await noteFailure(storeVerdict(answer.failure), read, reading);
    return false;
  }
  const { notifications, token } = answer.value;
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
