// The job after new store credentials: queues each waiting transaction of the application, in pages.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addRetryOfPending, wakeLines } from './storeJobs.ts';
import { enterLines, findWaitingTransactions } from './storeTransactionsStore.ts';

const pageSize = 1_000;

export async function retryPendingTransactions(
  job: JobPayloads['retryPendingTransactions'],
  { pool }: { pool: Pool },
): Promise<void> {
  const { applicationId } = job;
  const lines = await inTransaction(pool, async (transaction) => {
    const found = await findWaitingTransactions(transaction, { ...job, limit: pageSize });
    const entrants = found.map((transactionId) => ({ applicationId, transactionId }));
    if (found.length === pageSize) await addRetryOfPending(transaction, { ...job, after: found.at(-1)! });
    return enterLines(transaction, entrants);
  });
  await wakeLines(pool, lines);
}
