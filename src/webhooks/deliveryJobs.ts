// Adds the job that delivers what waits for a webhook.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';
import { findOwnersOfWebhooks } from './webhooksStore.ts';

/**
 * One job for each webhook, which delivers everything that is due: a later job replaces an earlier one that is not running.
 * Organizations take turns.
 */
export async function addDeliveryJobs(
  connection: SqlConnection,
  webhookIds: readonly string[],
  runAt?: Date,
): Promise<void> {
  if (webhookIds.length === 0) return;
  const owners = await findOwnersOfWebhooks(connection, webhookIds);
  const jobs = owners.map(({ webhookId, applicationId, organizationId }) => ({
    payload: { webhookId },
    key: `deliverWebhooks:${webhookId}`,
    ...{ owner: applicationId, group: organizationId },
    ...(runAt && { runAt }),
  }));
  await addJobs(connection, { task: 'deliverWebhooks' }, jobs);
}
