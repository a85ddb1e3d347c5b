// The job that sends what waits for one webhook: at least once, and in order for one object.
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import type { Encryption } from '../platform/encryption.ts';
import { attemptDelivery, type AttemptDeps } from './attemptDelivery.ts';
import { takeDropped } from './backlogStore.ts';
import { claimDeliveries, findNextAttempt } from './deliveriesStore.ts';
import { addDeliveryJobs } from './deliveryJobs.ts';
import { findWebhookTarget } from './webhooksStore.ts';

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
