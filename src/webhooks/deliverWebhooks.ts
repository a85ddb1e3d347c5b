// The job that sends what waits for one webhook: at least once, and in order for one object.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import type { Log } from '../platform/observability/log.ts';
import { type Backoff, retryDelay } from '../platform/outboundCalls.ts';
import {
  addDeliveryJobs,
  type AttemptOutcome,
  claimDeliveries,
  type ClaimedDelivery,
  findNextAttempt,
  parkWaiting,
  recordAttempt,
  takeDropped,
} from './enqueueWebhook.ts';
import { postEvent, PostFailure, type PostOptions, signedEventHeaders } from './postEvent.ts';
import { findWebhookTarget, markWebhookGone } from './webhooks.ts';

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

async function countDropped(webhookId: string, { pool, log, eventsDropped }: DeliveryDeps): Promise<void> {
  const dropped = await takeDropped(pool, webhookId);
  if (dropped === 0) return;
  eventsDropped(dropped);
  log.warn({ webhookId, dropped }, 'a webhook lost events, because too many deliveries wait');
}

/**
 * It looks again afterwards: the job of an event that was written since the look has been replaced by this later one, and
 * the event would wait for hours.
 */
async function addNextJob(webhookId: string, pool: AttemptDeps['pool']): Promise<void> {
  let next = await findNextAttempt(pool, webhookId);
  for (let added = Infinity; next && next.getTime() < added; next = await findNextAttempt(pool, webhookId)) {
    if (!(await findWebhookTarget(pool, webhookId))) return;
    // What is due already comes after the jobs of others that are due.
    await addDeliveryJobs(pool, [webhookId], new Date(Math.max(next.getTime(), Date.now())));
    added = next.getTime();
  }
}

async function deliverInTurn(webhookId: string, deps: DeliveryDeps, signal: AbortSignal): Promise<void> {
  const { pool, log, encryption, now } = deps;
  const endsAt = performance.now() + turnMillis;
  while (performance.now() < endsAt && !signal.aborted) {
    const target = await findWebhookTarget(pool, webhookId);
    if (!target) return;
    const { organizationId, url, secretEncrypted } = target;
    const secret = openedSecret(secretEncrypted, { webhookId, encryption });
    if (secret === null) log.error({ webhookId }, 'ENCRYPTION_KEY does not open the secret of a webhook');
    const webhook = { id: webhookId, organizationId, url, secret };
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

// One attempt at a delivery: sends it, and records whether it is delivered, waits for another attempt, or is parked.

export interface AttemptDeps {
  pool: Pool;
  log: Log;
  post: PostOptions;
  deliveryEnded(outcome: 'delivered' | 'failed' | 'parked'): void;
  now(): Date;
}

interface Webhook {
  id: string;
  organizationId: string;
  url: string;
  /** Null: this process cannot open it. */
  secret: string | null;
}

/** 5 s, 10 s, 20 s, … up to 4 h, each a quarter shorter or longer. */
const backoff: Backoff = { firstMillis: 5_000, longestMillis: 4 * 3_600_000, attempts: Infinity };
const retriedForMillis = 3 * 24 * 3_600_000;

/** Rejects when the outcome cannot be recorded, and when `signal` aborts: the delivery is then sent again. */
export async function attemptDelivery(
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

export function outcomeOf(
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
    if (!(await markWebhookGone(transaction, webhookId))) return false;
    await parkWaiting(transaction, { webhookId, now: now(), error: 'gone' });
    return true;
  });
  if (disabled) log.warn({ webhookId }, 'a webhook was disabled, because its receiver responded 410');
}
