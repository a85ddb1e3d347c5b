// One attempt at a delivery: sends it, and records whether it is delivered, waits for another attempt, or is parked.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Log } from '../platform/observability/log.ts';
import { retryDelay, type Backoff } from '../platform/retryDelay.ts';
import { parkWaiting, recordAttempt, type AttemptOutcome, type ClaimedDelivery } from './deliveriesStore.ts';
import { postEvent, PostFailure, type PostOptions } from './postEvent.ts';
import { signedEventHeaders } from './webhookSecret.ts';
import { markWebhookGone } from './webhooksStore.ts';

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
  const answer = await send(webhook, delivery, { ...deps, signal }).catch((error: unknown) => {
    if (error instanceof PostFailure) return error;
    throw error;
  });
  const at = now();
  const outcome = outcomeOf(answer, delivery, at);
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
  answer: number | PostFailure,
  { attempts, firstAttemptAt }: Pick<ClaimedDelivery, 'attempts' | 'firstAttemptAt'>,
  now: Date,
): AttemptOutcome {
  const status = typeof answer === 'number' ? answer : null;
  if (status !== null && status >= 200 && status < 300) {
    return { state: 'DELIVERED', status, error: null, nextAttemptAt: null };
  }
  const error = answer instanceof PostFailure ? answer.word : wordOf(answer);
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
