// mutation webhookDelete: deletes a webhook with its deliveries.
import type { MutationWebhookDeleteArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from '../workspace/workspace.ts';
import { lockWebhook } from './webhooks.ts';

/** Throws `not_found`. */
export async function webhookDelete(
  { id }: MutationWebhookDeleteArgs,
  { caller, adminPool }: { caller: Caller; adminPool: AdminPool },
): Promise<true> {
  const { organizationId } = caller;
  await inTransaction(adminPool, async (transaction) => {
    const webhook = await lockWebhook(transaction, { organizationId, id });
    if (!webhook) throw new AppError('not_found', undefined);
    await transaction.prisma.webhook.deleteMany({ where: { id } });
    const details = { applicationId: webhook.applicationId };
    await audit(transaction, caller, { action: 'webhookDelete', objectType: 'webhook', objectId: id, details });
  });
  return true;
}
