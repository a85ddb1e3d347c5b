// The job after new store credentials: queues each waiting transaction of the application, in pages.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addResolveJobs, addRetryOfPending } from './storeJobs.ts';
import { findWaitingTransactions } from './storeTransactionsStore.ts';

const pageSize = 1_000;

export async function retryPendingTransactions(
  job: JobPayloads['retryPendingTransactions'],
  { pool }: { pool: Pool },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const found = await findWaitingTransactions(client, { ...job, limit: pageSize });
    await addResolveJobs(client, found);
    if (found.length === pageSize) await addRetryOfPending(client, { ...job, after: found.at(-1)!.transactionId });
  });
}
