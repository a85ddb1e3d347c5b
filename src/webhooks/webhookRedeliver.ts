// mutation webhookRedeliver: sends one delivery again, out of order.
import type { MutationWebhookRedeliverArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { canAccess, type Caller } from '../workspace/workspace.ts';
import { shownDelivery } from './webhookDeliveries.ts';
import { addDeliveryJobs, takeRoom } from './enqueueWebhook.ts';
import { lockWebhook } from './webhooks.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  now(): Date;
}

/** Throws `not_found`, `conflict` (the webhook is disabled, or too many deliveries wait). */
export function webhookRedeliver(
  { deliveryId }: MutationWebhookRedeliverArgs,
  { caller, adminPool, now }: Needs,
): Promise<ReturnType<typeof shownDelivery>> {
  const { organizationId } = caller;
  return inTransaction(adminPool, async (transaction) => {
    const { webhookDelivery } = transaction.prisma;
    const own = { where: { id: deliveryId } };
    const webhook = await lockWebhook(transaction, { organizationId, deliveryId });
    if (!webhook || !canAccess(caller, webhook.applicationId)) throw new AppError('not_found', undefined);
    if (!webhook.enabled) throw new AppError('conflict', { reason: 'disabled' });
    const before = await webhookDelivery.findUnique(own);
    if (before?.state !== 'PENDING') {
      const room = await takeRoom(transaction, [{ webhookId: webhook.id, count: 1, at: now() }]);
      if (room.get(webhook.id) === 0) throw new AppError('conflict', { reason: 'full' });
    }
    // Under a key of its own, so that it waits for no other delivery, and none waits for it. Its id stays.
    const waiting = { state: 'PENDING', orderKey: `redelivery:${deliveryId}`, nextAttemptAt: now() } as const;
    const data = { ...waiting, attempts: 0, firstAttemptAt: null, endedAt: null };
    const [delivery] = await webhookDelivery.updateManyAndReturn({ ...own, data });
    if (!delivery) throw new AppError('not_found', undefined);
    await addDeliveryJobs(transaction, [webhook.id]);
    const entry = { action: 'webhookRedeliver', objectType: 'webhook', objectId: webhook.id } as const;
    await audit(transaction, caller, { ...entry, details: { deliveryId } });
    return shownDelivery(delivery);
  });
}
