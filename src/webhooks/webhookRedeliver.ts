// mutation webhookRedeliver: sends one delivery again, out of order.
import type { MutationWebhookRedeliverArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { canAccess, type Caller } from '../workspace/workspace.ts';
import { findDelivery, shownDelivery } from './webhookDeliveries.ts';
import { addDeliveryJobs, sendAgain, takeRoom } from './enqueueWebhook.ts';
import { lockWebhookOfDelivery } from './webhooks.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  now(): Date;
}

/** Throws `not_found`, `conflict` (the webhook is disabled, or too many deliveries wait). */
export async function webhookRedeliver(
  { deliveryId: id }: MutationWebhookRedeliverArgs,
  { caller, adminPool, now }: Needs,
): Promise<ReturnType<typeof shownDelivery>> {
  const { organizationId } = caller;
  const delivery = await inTransaction(adminPool, async (transaction) => {
    const webhook = await lockWebhookOfDelivery(transaction, { organizationId, id });
    if (!webhook || !canAccess(caller, webhook.applicationId)) throw new AppError('not_found', undefined);
    if (!webhook.enabled) throw new AppError('conflict', { reason: 'disabled' });
    const before = await findDelivery(transaction, id);
    if (before?.state !== 'PENDING') {
      const room = await takeRoom(transaction, [{ webhookId: webhook.id, count: 1, at: now() }]);
      if (room.get(webhook.id) === 0) throw new AppError('conflict', { reason: 'full' });
    }
    await sendAgain(transaction, { id, now: now() });
    await addDeliveryJobs(transaction, [webhook.id]);
    const details = { deliveryId: id };
    const entry = { action: 'webhookRedeliver', objectType: 'webhook', objectId: webhook.id, details } as const;
    const found = await findDelivery(transaction, id);
    if (!found) throw new AppError('not_found', undefined);
    await audit(transaction, caller, entry);
    return found;
  });
  return shownDelivery(delivery);
}
