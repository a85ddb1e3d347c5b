// Runs the job resolveStoreTransaction by itself, without a queue and with a store of the test's own.
import { createPasswordTokens } from '../../src/accounts/passwordTokens.ts';
import { defaultMailBackoff } from '../../src/accounts/sendPasswordMail.ts';
import { createTasks } from '../../src/jobs/tasks.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import type { JobPayloads } from '../../src/platform/jobQueue/jobPayloads.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import type { ResolveDeps } from '../../src/purchases/resolveStoreTransaction.ts';
import type { StoreClient } from '../../src/purchases/storeClient.ts';
import type { OpenStore } from '../../src/purchases/storeOpener.ts';
import { encryptionKey, quickBackoff } from './purchases.ts';
import { noDeliveries } from './webhooks.ts';
import type { TestService } from './testService.ts';

export { signedPurchase } from './signedPurchase.ts';

type ResolveJob = JobPayloads['resolveStoreTransaction'];

export interface JobRun {
  openStore: OpenStore;
  /** The number of the queue's attempt; the first unless given. */
  attempts?: number;
  /** Payload beside the transaction. */
  payload?: Partial<ResolveJob>;
  deps?: Partial<ResolveDeps>;
  signal?: AbortSignal;
}

/** Runs the job for one transaction, as the queue does at that attempt. */
export async function runResolveJob(
  { database, application }: TestService,
  transactionId: string,
  { openStore, attempts = 1, payload = {}, deps = {}, signal = new AbortController().signal }: JobRun,
): Promise<void> {
  const tasks = createTasks({
    pool: database.pool,
    log: createLog('silent'),
    encryption: createEncryption(encryptionKey),
    openStore,
    lookedUp: () => undefined,
    mailEnded: () => undefined,
    notified: () => undefined,
    notificationRefused: () => undefined,
    notificationsRead: () => undefined,
    callsPerSecond: 1_000,
    backoff: quickBackoff,
    passwordTokens: createPasswordTokens(Buffer.alloc(32, 2)),
    sendMail: () => Promise.reject(new Error('no mail is sent here')),
    dashboardUrl: 'https://dashboard.example.com',
    mailBackoff: defaultMailBackoff,
    ...noDeliveries,
    now: () => new Date(),
    ...deps,
  });
  const helpers = { abortSignal: signal, job: { attempts, max_attempts: 25 } };
  const job: ResolveJob = { applicationId: application.id, transactionId, ...payload };
  await tasks.resolveStoreTransaction(job, helpers as never);
}

/** A store that gives this response for a transaction; a request for a subscription fails the test. */
export function storeThatAnswers(transaction: StoreClient['transaction']): OpenStore {
  const nobody = () => Promise.reject(new Error('nobody asks'));
  return async () => ({ transaction, subscription: nobody, history: nobody, notifications: nobody });
}

export async function stateOf({ database }: TestService, transactionId: string) {
  const row = await database.prisma.storeTransaction.findFirstOrThrow({ where: { id: transactionId } });
  return [row.state, row.reason];
}

/** The queue's jobs for the transaction. */
export async function waitingJobs({ database }: TestService, transactionId: string) {
  const { rows } = await database.pool.query<{ payload: ResolveJob; run_at: Date }>(
    "SELECT payload, run_at FROM graphile_worker._private_jobs WHERE payload ->> 'transactionId' = $1",
    [transactionId],
  );
  return rows;
}
