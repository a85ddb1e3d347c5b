// The job behind POST /api/v1/tm/store: looks one transaction up at the store and stores the result.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Backoff } from '../platform/retryDelay.ts';
import { pauseCalls, takeCallSlot, type CallSlotRequest } from './callSlotsStore.ts';
import { upsertEntitlement } from './entitlementsStore.ts';
import { lookUpTransaction } from './lookUpTransaction.ts';
import type { StoreClient } from './storeClient.ts';
import { findStoreCredentials } from './storeCredentialsStore.ts';
import { addResolveJobs, type ResolveStoreTransactionJob, type WaitingTransaction } from './storeJobs.ts';
import type { OpenStore } from './storeOpener.ts';
import { findOpenTransaction, saveTransactionOutcome } from './storeTransactionsStore.ts';
import { decide, type Decision } from './transactionDecision.ts';

export interface ResolveDeps {
  pool: Pool;
  log: Log;
  encryption: Encryption;
  openStore: OpenStore;
  callsPerSecond: number;
  backoff: Backoff;
  /** Called with the state after each look-up, in lower case. */
  lookedUp(outcome: string): void;
  now(): Date;
}

/** Thrown before a call that the rate limit does not grant yet. The job goes back into the queue. */
class NotYet extends Error {
  readonly dueAt: Date;
  constructor(dueAt: Date) {
    super('the turn to call the store has not come');
    this.dueAt = dueAt;
  }
}

// Longer than the pause between two polls of the queue, so that all jobs that come back together are served. For calls of
// low priority it is no longer than that pause, so that they never use up the patience of the others.
const patience = { newcomer: 200, behind: 1_000, queued: 3_000, withinJob: 5_000 };
const untilConfigured = 10 * 60_000;

/** Rejects only when the service itself fails. The queue then runs the job again. */
export async function resolveStoreTransaction(
  payload: ResolveStoreTransactionJob,
  deps: ResolveDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pool, encryption, openStore } = deps;
  const open = await findOpenTransaction(pool, payload);
  if (!open) return;
  const job = { ...payload, ...open };
  const { version, access } = await findStoreCredentials(pool, encryption, job.applicationId);
  if (version === null) {
    return keep(job, { state: 'PENDING', reason: 'no_credentials', askAgainAt: null }, { deps, version });
  }
  // The operator repairs these two problems without new credentials, so the job asks again by itself.
  const waitForOperator = (reason: 'credentials_unreadable' | 'no_root_certificates') => {
    deps.lookedUp('pending');
    const askAgainAt = new Date(deps.now().getTime() + untilConfigured);
    return keep(job, { state: 'PENDING', reason, askAgainAt }, { deps, version });
  };
  if (!access) {
    deps.log.warn({ applicationId: job.applicationId }, 'ENCRYPTION_KEY does not open the store credentials');
    return waitForOperator('credentials_unreadable');
  }
  const store = await openStore(access, signal);
  if (!store) return waitForOperator('no_root_certificates');
  try {
    const counted = { ...job, attempt: (job.attempt ?? 0) + 1 };
    const decision = await ask(store, { job: counted, deps, signal });
    await keep(counted, decision, { deps, version });
    noteLookUp(job, decision, deps);
  } catch (error) {
    if (!(error instanceof NotYet)) throw error;
    await addResolveJobs(pool, [{ ...job, queued: true }], error.dueAt);
  }
}

/** Called after the last attempt that failed inside the service. */
export async function giveUp(job: ResolveStoreTransactionJob, { pool }: ResolveDeps): Promise<void> {
  await saveTransactionOutcome(pool, job, { state: 'FAILED', reason: 'internal_error', lineId: null });
}

async function ask(
  store: StoreClient,
  { job, deps, signal }: { job: WaitingTransaction & { attempt: number }; deps: ResolveDeps; signal: AbortSignal },
): Promise<Decision> {
  const finding = await lookUpTransaction(store, job.transactionId, async ({ first }) => {
    const slot = await takeCallSlot(deps.pool, slotRequest(job, first, deps));
    if (!slot.granted) throw new NotYet(slot.dueAt);
    if (slot.waitMillis > 0) await sleep(slot.waitMillis, undefined, { signal });
  });
  // The shutdown ended this call, so its failure says nothing about the store.
  signal.throwIfAborted();
  if (finding.verdict === 'retry') {
    const { applicationId, transactionId } = job;
    deps.log.warn({ applicationId, transactionId, cause: finding.cause }, 'the store gave no answer that counts');
    if (finding.retryAt) await pauseCalls(deps.pool, applicationId, finding.retryAt);
  }
  return decide(finding, { attempt: job.attempt, now: deps.now(), random: Math.random(), backoff: deps.backoff });
}

/** A look-up that has begun continues before others begin, even at low priority. */
function slotRequest(
  { applicationId, queued = false, behind }: WaitingTransaction,
  first: boolean,
  { callsPerSecond: perSecond }: ResolveDeps,
): CallSlotRequest {
  const request = { applicationId, perSecond };
  if (!first) return { ...request, patienceMillis: patience.withinJob, queued: true, behind: false };
  const back = behind ? patience.behind : patience.queued;
  return { ...request, patienceMillis: queued ? back : patience.newcomer, queued, behind };
}

async function keep(
  job: WaitingTransaction,
  decision: Decision,
  { deps: { pool, encryption }, version }: { deps: ResolveDeps; version: string | null },
): Promise<void> {
  const { applicationId, transactionId, behind, attempt = 0 } = job;
  const entitlement = decision.state === 'RESOLVED' ? decision.entitlement : null;
  await inTransaction(pool, async (transaction) => {
    const outcome = { state: decision.state, reason: reasonOf(decision), lineId: entitlement?.lineId ?? null };
    await saveTransactionOutcome(transaction, job, outcome);
    if (entitlement) await upsertEntitlement(transaction, applicationId, entitlement);
    if (decision.state !== 'PENDING' || !decision.askAgainAt) return;
    await addResolveJobs(transaction, [{ applicationId, transactionId, behind, attempt }], decision.askAgainAt);
  });
  if (decision.state !== 'PENDING') return;
  // New credentials may have been set during this look-up. Their job did not find this transaction waiting, or was put
  // off, so the transaction would wait for hours or without end.
  const current = await findStoreCredentials(pool, encryption, applicationId);
  if (current.version !== version) await addResolveJobs(pool, [{ applicationId, transactionId, behind }]);
}

const reasonOf = (decision: Decision): string | null => ('reason' in decision ? decision.reason : null);

function noteLookUp(
  { applicationId, transactionId }: ResolveStoreTransactionJob,
  decision: Decision,
  { log, lookedUp }: ResolveDeps,
): void {
  const { state } = decision;
  lookedUp(state.toLowerCase());
  log.info({ applicationId, transactionId, state, reason: reasonOf(decision) }, 'store transaction looked up');
}
