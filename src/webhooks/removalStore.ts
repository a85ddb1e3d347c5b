// The SQL that removes the webhooks of a deleted application.
import type { Pool } from 'pg';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';
import { prepared } from '../platform/database/sql.ts';

const batchSize = 2_000;

/** Removes one batch of deliveries, and at the end the webhooks with their secrets; true when more may be left. */
export function removeWebhooks(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const deliveries = prepared('remove_webhook_deliveries')`/* webhooks: removeWebhookDeliveries */
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE w.application_id = ${applicationId} LIMIT ${batchSize})`;
    const { rowCount } = await transaction.query(deliveries);
    if (rowCount === batchSize) return true;
    await transaction.query(prepared('remove_webhooks')`/* webhooks: removeWebhooks */
      DELETE FROM webhooks WHERE application_id = ${applicationId}`);
    return false;
  });
}
