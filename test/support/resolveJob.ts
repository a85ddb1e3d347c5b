// Looks one transaction up by itself, without a queue and with a store of the test's own.
import { createEncryption } from '../../src/platform/encryption.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { resolveNext, type ResolveDeps, type Step } from '../../src/purchases/resolveTransactions.ts';
import type { StoreClient } from '../../src/purchases/storeClient.ts';
import type { OpenStore } from '../../src/purchases/storeOpener.ts';
import { encryptionKey, quickBackoff } from './purchases.ts';
import type { TestService } from './testService.ts';

export { signedPurchase } from './signedPurchase.ts';

export interface JobRun {
  openStore: OpenStore;
  /** Look-ups so far to which the store gave no response that counts. */
  attempt?: number;
  /** Look-ups so far that failed inside the service. */
  failures?: number;
  ended?: boolean;
  deps?: Partial<ResolveDeps>;
  signal?: AbortSignal;
}

/** Looks the transaction up as the first one of its line, as the job of the line does. */
export async function runResolveJob(
  { database, application }: TestService,
  transactionId: string,
  { openStore, attempt = 0, failures = 0, ended = false, deps = {}, signal = new AbortController().signal }: JobRun,
): Promise<Step> {
  const { rows } = await database.pool.query<{ behind: boolean }>(
    `UPDATE store_transactions SET look_up_at = now() - interval '1 day', look_up_round = -2, look_up_attempt = $3,
      look_up_failures = $4, look_up_ended = $5 WHERE id = $1 AND application_id = $2
    RETURNING behind OR look_up_ended AS behind`,
    [transactionId, application.id, attempt, failures, ended],
  );
  const line = { applicationId: application.id, behind: rows[0]?.behind ?? false };
  const run = {
    ...{ pool: database.pool, log: createLog('silent'), encryption: createEncryption(encryptionKey), openStore },
    ...{ lookedUp: () => undefined, callsPerSecond: 1_000, backoff: quickBackoff, now: () => new Date() },
    ...deps,
  };
  return resolveNext(line, run, signal);
}

/** A store that gives this response for a transaction; a request for a subscription fails the test. */
export function storeThatResponds(transaction: StoreClient['transaction']): OpenStore {
  const nobody = () => Promise.reject(new Error('nobody asks'));
  return async () => ({ transaction, subscription: nobody, history: nobody, notifications: nobody });
}

export async function stateOf({ database }: TestService, transactionId: string) {
  const row = await database.prisma.storeTransaction.findFirstOrThrow({ where: { id: transactionId } });
  return [row.state, row.reason];
}

/** When the transaction is looked up next, and after how many attempts. Null where it is not. */
export async function nextLookUp({ database, application }: TestService, id: string) {
  const where = { id_applicationId: { id, applicationId: application.id } };
  const row = await database.prisma.storeTransaction.findUniqueOrThrow({ where });
  return row.lookUpAt && { at: row.lookUpAt, attempt: row.lookUpAttempt };
}
