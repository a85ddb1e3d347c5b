// The job after new store credentials: queues every transaction of the application that waits for them, page by page.
import type { Pool } from 'pg';
import type { JobPayloads } from '../platform/jobPayloads.ts';
import { inTransaction } from '../platform/transaction.ts';
import { addResolveJobs, addRetryOfPending } from './storeJobs.ts';
import { findParkedTransactions } from './storeTransactionsStore.ts';

const pageSize = 1_000;

export async function retryPendingTransactions(
  { applicationId, after }: JobPayloads['retryPendingTransactions'],
  { pool }: { pool: Pool },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const ids = await findParkedTransactions(client, { applicationId, after, limit: pageSize });
    await addResolveJobs(
      client,
      ids.map((transactionId) => ({ applicationId, transactionId })),
    );
    if (ids.length === pageSize) await addRetryOfPending(applicationId, client, ids.at(-1));
  });
}
