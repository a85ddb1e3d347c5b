// Adds the job that delivers what waits for a webhook.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

// After work that a person waits for, and before removals.
const priority = 50;

/** One job for each webhook, which delivers everything that is due: a later job replaces an earlier one that is not running. */
export async function addDeliveryJobs(
  connection: SqlConnection,
  webhookIds: readonly string[],
  runAt?: Date,
): Promise<void> {
  const jobs = webhookIds.map((webhookId) => ({
    payload: { webhookId },
    key: `deliverWebhooks:${webhookId}`,
    ...(runAt && { runAt }),
  }));
  await addJobs(connection, { task: 'deliverWebhooks', priority }, jobs);
}
