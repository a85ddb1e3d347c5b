// The job that sends what waits for one webhook: at least once, and in order for one object.
import type { Pool } from 'pg';
import { prepared, sql } from '../platform/database/sql.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import type { Log } from '../platform/observability/log.ts';
import { type Backoff, retryDelay } from '../platform/outboundCalls.ts';
import { addDeliveryJobs, parkWaiting } from './enqueueWebhook.ts';
import { postEvent, PostFailure, type PostOptions, signedEventHeaders } from './postEvent.ts';

export interface DeliveryDeps extends AttemptDeps {
  encryption: Encryption;
  eventsDropped(count: number): void;
}

/** Longer than the longest attempt. A delivery whose worker was killed is sent again after it. */
const leaseMillis = 30_000;
/** Of different objects. */
const atOnce = 8;
/** After this time a new job goes on, so that other webhooks get a turn. */
const turnMillis = 1_000;

export async function deliverWebhooks(
  { webhookId }: JobPayloads['deliverWebhooks'],
  deps: DeliveryDeps,
  signal: AbortSignal,
): Promise<void> {
  await countDropped(webhookId, deps);
  await deliverInTurn(webhookId, deps, signal);
  await addNextJob(webhookId, deps.pool);
}

/** The lost events that no metric has counted yet: each is counted once. */
async function countDropped(webhookId: string, { pool, log, eventsDropped }: DeliveryDeps): Promise<void> {
  const { rows } = await pool.query<{ count: number }>(prepared('take_dropped')`/* webhooks: countDropped */
    WITH before AS (
      SELECT webhook_id, counted FROM webhook_backlogs
      WHERE webhook_id = ${webhookId} AND counted < dropped FOR UPDATE)
    UPDATE webhook_backlogs b SET counted = b.dropped FROM before WHERE b.webhook_id = before.webhook_id
    RETURNING (b.dropped - before.counted)::float8 AS count`);
  const dropped = rows[0]?.count ?? 0;
  if (dropped === 0) return;
  eventsDropped(dropped);
  log.warn({ webhookId, dropped }, 'a webhook lost events, because too many deliveries wait');
}

/**
 * It looks again afterwards: the job of an event that was written since the look has been replaced by this later one, and
 * the event would wait for hours.
 */
async function addNextJob(webhookId: string, pool: Pool): Promise<void> {
  let next = await findNextAttempt(pool, webhookId);
  for (let added = Infinity; next && next.getTime() < added; next = await findNextAttempt(pool, webhookId)) {
    if (!(await findTarget(pool, webhookId))) return;
    // What is due already comes after the jobs of others that are due.
    await addDeliveryJobs(pool, [webhookId], new Date(Math.max(next.getTime(), Date.now())));
    added = next.getTime();
  }
}

async function deliverInTurn(webhookId: string, deps: DeliveryDeps, signal: AbortSignal): Promise<void> {
  const { pool, log, encryption, now } = deps;
  const endsAt = performance.now() + turnMillis;
  while (performance.now() < endsAt && !signal.aborted) {
    const target = await findTarget(pool, webhookId);
    if (!target) return;
    const secret = openedSecret(target.secretEncrypted, { webhookId, encryption });
    if (secret === null) log.error({ webhookId }, 'ENCRYPTION_KEY does not open the secret of a webhook');
    const webhook = { ...target, id: webhookId, secret };
    const at = now();
    const leasedUntil = new Date(at.getTime() + leaseMillis);
    const claimed = await claimDeliveries(pool, { webhookId, now: at, leasedUntil, limit: atOnce });
    if (claimed.length === 0) return;
    // All of them end before an error ends the job.
    const ended = await Promise.allSettled(claimed.map((one) => attemptDelivery(webhook, one, { ...deps, signal })));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

/** Null under a key that this process does not have: while keys are rotated, another process may have it. */
function openedSecret(
  sealed: Buffer,
  { webhookId, encryption }: { webhookId: string; encryption: Encryption },
): string | null {
  try {
    return encryption.decrypt(sealed, webhookId);
  } catch {
    return null;
  }
}

interface Target {
  organizationId: string;
  url: string;
  secretEncrypted: Buffer;
}

/** Null when the webhook is disabled or deleted, or its application is. */
async function findTarget(pool: Pool, id: string): Promise<Target | null> {
  const { rows } = await pool.query<Target>(prepared('find_webhook_target')`/* webhooks: findTarget */
    SELECT p.organization_id AS "organizationId", w.url, w.secret_encrypted AS "secretEncrypted"
    FROM webhooks w JOIN applications a ON a.id = w.application_id AND a.deleted_at IS NULL
      JOIN projects p ON p.id = a.project_id
    WHERE w.id = ${id} AND w.enabled`);
  return rows[0] ?? null;
}

interface ClaimedDelivery {
  id: string;
  body: string;
  /** With this attempt. */
  attempts: number;
  firstAttemptAt: Date;
}

/**
 * Of `d`: no earlier delivery of the same key waits. It is no NOT EXISTS, which the planner turns into a join: without
 * statistics that compared each of 20,000 that wait with all others, and took over 20 s.
 */
const isFirst = sql`d.sequence = (
  SELECT e.sequence FROM webhook_deliveries e
  WHERE e.webhook_id = d.webhook_id AND e.order_key = d.order_key AND e.state = 'PENDING'
  ORDER BY e.sequence LIMIT 1)`;

/**
 * Of each key the delivery that waits longest, where it is due. No other worker takes it before the end of the lease; after
 * that the first worker is taken for dead, and the delivery is sent again.
 */
async function claimDeliveries(
  pool: Pool,
  { webhookId, now, leasedUntil, limit }: { webhookId: string; now: Date; leasedUntil: Date; limit: number },
): Promise<ClaimedDelivery[]> {
  const statement = prepared('claim_deliveries')`/* webhooks: claimDeliveries */
    WITH due AS MATERIALIZED (
      SELECT d.id FROM webhook_deliveries d
      WHERE d.webhook_id = ${webhookId} AND d.state = 'PENDING' AND d.next_attempt_at <= ${now} AND ${isFirst}
      ORDER BY d.sequence LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE webhook_deliveries d SET next_attempt_at = ${leasedUntil}, attempts = d.attempts + 1,
      first_attempt_at = coalesce(d.first_attempt_at, ${now}), last_attempt_at = ${now}
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.body, d.attempts, d.first_attempt_at AS "firstAttemptAt"`;
  const { rows } = await pool.query<ClaimedDelivery>(statement);
  return rows;
}

/** When the first of the deliveries that no other one holds is due. Null when none waits. */
async function findNextAttempt(pool: Pool, webhookId: string): Promise<Date | null> {
  const statement = prepared('find_next_attempt')`/* webhooks: findNextAttempt */
    SELECT min(next_attempt_at) AS at FROM (
      SELECT DISTINCT ON (order_key) next_attempt_at FROM webhook_deliveries
      WHERE webhook_id = ${webhookId} AND state = 'PENDING' ORDER BY order_key, sequence) AS firsts`;
  const { rows } = await pool.query<{ at: Date | null }>(statement);
  return rows[0]?.at ?? null;
}

interface AttemptDeps {
  pool: Pool;
  log: Log;
  post: PostOptions;
  deliveryEnded(outcome: 'delivered' | 'failed' | 'parked'): void;
  now(): Date;
}

interface Webhook extends Pick<Target, 'organizationId' | 'url'> {
  id: string;
  /** Null: this process cannot open it. */
  secret: string | null;
}

/** 5 s, 10 s, 20 s, … up to 4 h, each a quarter shorter or longer. */
const backoff: Backoff = { firstMillis: 5_000, longestMillis: 4 * 3_600_000, attempts: Infinity };
const retriedForMillis = 3 * 24 * 3_600_000;

/**
 * Sends it, and records whether it is delivered, waits for another attempt, or is parked. Rejects when that cannot be recorded, and
 * when `signal` aborts: the delivery is then sent again.
 */
async function attemptDelivery(
  webhook: Webhook,
  delivery: ClaimedDelivery,
  { signal, ...deps }: AttemptDeps & { signal: AbortSignal },
): Promise<void> {
  const { pool, log, now } = deps;
  const { id } = delivery;
  const response = await send(webhook, delivery, { ...deps, signal }).catch((error: unknown) => {
    if (error instanceof PostFailure) return error;
    throw error;
  });
  const at = now();
  const outcome = outcomeOf(response, delivery, at);
  await recordAttempt(pool, delivery, { ...outcome, now: at });
  if (outcome.status === 410) await disable(webhook.id, { pool, log, now });
  deps.deliveryEnded(outcome.state === 'PENDING' ? 'failed' : outcome.state === 'DELIVERED' ? 'delivered' : 'parked');
  if (outcome.state === 'PARKED') log.warn({ webhookId: webhook.id, deliveryId: id }, 'a webhook delivery was parked');
}

function send(
  { organizationId, url, secret }: Webhook,
  { id, body }: ClaimedDelivery,
  { post, now, signal }: Pick<AttemptDeps, 'post' | 'now'> & { signal: AbortSignal },
): Promise<number> {
  if (secret === null) return Promise.reject(new PostFailure('secret'));
  const headers = signedEventHeaders(secret, { id, at: now(), body });
  return postEvent({ organizationId, url, headers, body }, post, signal);
}

interface AttemptOutcome {
  state: 'PENDING' | 'DELIVERED' | 'PARKED';
  status: number | null;
  error: string | null;
  /** Of a PENDING delivery. */
  nextAttemptAt: Date | null;
}

/** Changes nothing when another worker has taken the delivery meanwhile, or somebody has asked for it again. */
async function recordAttempt(
  pool: Pool,
  { id, attempts, firstAttemptAt }: ClaimedDelivery,
  { state, status, error, nextAttemptAt, now }: AttemptOutcome & { now: Date },
): Promise<void> {
  const endedAt = state === 'PENDING' ? null : now;
  await pool.query(prepared('record_attempt')`/* webhooks: recordAttempt */
    UPDATE webhook_deliveries SET state = ${state}::webhook_delivery_state, last_status = ${status},
      last_error = ${error}, next_attempt_at = coalesce(${nextAttemptAt}::timestamptz, next_attempt_at),
      ended_at = ${endedAt}
    WHERE id = ${id} AND attempts = ${attempts} AND first_attempt_at = ${firstAttemptAt} AND state = 'PENDING'`);
}

function outcomeOf(
  response: number | PostFailure,
  { attempts, firstAttemptAt }: Pick<ClaimedDelivery, 'attempts' | 'firstAttemptAt'>,
  now: Date,
): AttemptOutcome {
  const status = typeof response === 'number' ? response : null;
  if (status !== null && status >= 200 && status < 300) {
    return { state: 'DELIVERED', status, error: null, nextAttemptAt: null };
  }
  const error = response instanceof PostFailure ? response.word : wordOf(response);
  const delay = retryDelay(attempts, Math.random(), backoff)!;
  const nextAttemptAt = new Date(now.getTime() + delay);
  const over = nextAttemptAt.getTime() > firstAttemptAt.getTime() + retriedForMillis;
  return status === 410 || over
    ? { state: 'PARKED', status, error, nextAttemptAt: null }
    : { state: 'PENDING', status, error, nextAttemptAt };
}

function wordOf(status: number): string {
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}

async function disable(
  webhookId: string,
  { pool, log, now }: Pick<AttemptDeps, 'pool' | 'log' | 'now'>,
): Promise<void> {
  const disabled = await inTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(prepared('mark_webhook_gone')`/* webhooks: markWebhookGone */
      UPDATE webhooks SET enabled = false, gone = true WHERE id = ${webhookId} AND enabled`);
    if (rowCount === 0) return false;
    await parkWaiting(transaction, { webhookId, now: now(), error: 'gone' });
    return true;
  });
  if (disabled) log.warn({ webhookId }, 'a webhook was disabled, because its receiver responded 410');
}
