// The job that looks up the transactions of an application that are due, in one of its lines. Devices take turns in the line.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inTransaction, retryConflicts, type Transaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Backoff } from '../platform/outboundCalls.ts';
import { type CallSlotRequest, pauseCalls, takeCallSlot } from './callSlotsStore.ts';
import { decide, type Decision, type Finding, lookUpTransaction } from './lookUpTransaction.ts';
import type { StoreClient } from './storeClient.ts';
import { findStoreCredentials } from './storeCredentials.ts';
import { addResolveJob, type Line, wakeLines } from './storeJobs.ts';
import type { OpenStore } from './storeOpener.ts';
import { storeStatement } from './storeStatement.ts';
import {
  beginLookUp,
  type BegunLookUp,
  enterLines,
  type Entrant,
  findNextLookUp,
  goOnLookingUp,
  leaveLookUp,
  putOffLookUp,
  saveLookUp,
} from './storeTransactionsStore.ts';
import { lockTransactions } from './uploadsStore.ts';

/** After this time another job goes on, behind those of other applications. */
const turnMillis = 1_000;
/** Look-ups of one application, so that it can make all calls that the store allows it. */
const atOnce = 8;
/** The longest pause between two jobs. New credentials may end a pause that the store has asked for. */
const longestPauseMillis = 60_000;

/**
 * The store of one application may hang: the job then holds its place until the time limit of its calls, and no other application
 * waits for it (src/jobs/worker.ts).
 */
export async function resolveTransactions(line: Line, deps: ResolveDeps, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + turnMillis;
  const oneByOne = async (): Promise<Step> => {
    let step: Step = 'done';
    while (step === 'done' && performance.now() < endsAt && !signal.aborted) {
      step = await resolveNext(line, deps, signal);
    }
    return step;
  };
  // All of them end before an error ends the job.
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, oneByOne));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  // Where the turn at the store does not come soon, the others have ended too: one alone takes each turn as it comes.
  const steps = ended.map((one) => (one.status === 'fulfilled' ? one.value : null));
  const notBefore = steps.includes('done') ? null : (steps.find((step) => step instanceof Date) ?? null);
  await addNextJob(line, notBefore, deps);
}

/** It looks again afterwards: this job may have replaced the one of a transaction that came since the look. */
async function addNextJob(line: Line, notBefore: Date | null, { pool }: Pick<ResolveDeps, 'pool'>): Promise<void> {
  let next = await findNextLookUp(pool, line);
  for (let added = Infinity; next && next.getTime() < added; next = await findNextLookUp(pool, line)) {
    const now = Date.now();
    const turn = Math.min(notBefore?.getTime() ?? now, now + longestPauseMillis);
    await addResolveJob(pool, line, new Date(Math.max(now, turn, next.getTime())));
    // One that is due now is due at the next look too, a little later.
    added = next.getTime();
  }
}

/** The job of an earlier version: the transaction enters its line. */
export async function enterLine(entrant: Entrant, { pool }: Pick<ResolveDeps, 'pool'>): Promise<void> {
  await wakeLines(pool, await enterLines(pool, [entrant]));
}

export interface ResolveDeps {
  pool: Pool;
  log: Log;
  encryption: Encryption;
  openStore: OpenStore;
  callsPerSecond: number;
  backoff: Backoff;
  /** How long the store may not know a transaction before it is NOT_FOUND. Default: 24 hours. */
  notKnownMillis?: number | undefined;
  /** Called with the state after each look-up, in lower case. */
  lookedUp(outcome: string): void;
  now(): Date;
}

type Job = BegunLookUp & { applicationId: string };

/** Thrown before a call that the rate limit does not grant yet. */
class NotYet extends Error {
  readonly dueAt: Date;
  constructor(dueAt: Date) {
    super('the turn to call the store has not come');
    this.dueAt = dueAt;
  }
}

const untilConfigured = 10 * 60_000;
/** A further call of a look-up waits for its own application's pace, and not for other applications. */
const withinLookUpMillis = 5_000;
/** After so many failures inside the service, days later, the look-up is given up. */
const mostFailures = 25;

/** What became of a turn: null where no transaction of the line was due, and a date where the turn at the store comes only then. */
export type Step = 'done' | null | Date;

/**
 * Looks up the next transaction of the line. The look-up takes its turn at the store before it begins. Rejects when the
 * database fails, and when `signal` aborts.
 */
export async function resolveNext(line: Line, deps: ResolveDeps, signal: AbortSignal): Promise<Step> {
  const begun = await beginLookUp(deps.pool, line);
  if (!begun) return null;
  const job = { ...begun, applicationId: line.applicationId };
  try {
    await lookUp(job, deps, signal);
    return 'done';
  } catch (error) {
    if (error instanceof NotYet) {
      await leaveLookUp(deps.pool, job, job.dueAt);
      return error.dueAt;
    }
    if (signal.aborted) {
      await leaveLookUp(deps.pool, job, job.dueAt).catch(() => undefined);
      throw error;
    }
    await noteFailure(job, error, deps);
    return 'done';
  }
}

async function lookUp(job: Job, deps: ResolveDeps, signal: AbortSignal): Promise<void> {
  const { pool, encryption, openStore } = deps;
  const { version, access } = await findStoreCredentials(pool, encryption, job.applicationId);
  if (version === null) return park(job, 'no_credentials', { deps, version });
  if (!access) {
    deps.log.warn({ applicationId: job.applicationId }, 'ENCRYPTION_KEY does not open the store credentials');
    return park(job, 'credentials_unreadable', { deps, version });
  }
  const store = await openStore(access, signal);
  if (!store) return park(job, 'no_root_certificates', { deps, version });
  const counted = { ...job, attempt: job.attempt + 1 };
  const finding = await ask(store, { job: counted, deps, signal });
  const { now, backoff, notKnownMillis } = deps;
  const circumstances = { attempt: counted.attempt, now: now(), random: Math.random(), backoff, notKnownMillis };
  const decision = decide(finding, job, circumstances);
  await keep(counted, { decision, finding }, { deps, version });
  noteLookUp(job, decision, deps);
}

/** A failure of the service itself: nothing is known of the transaction. Rejects where not even this can be noted. */
async function noteFailure(job: Job, error: unknown, { pool, log }: ResolveDeps): Promise<void> {
  const { applicationId, transactionId } = job;
  log.error({ err: error, applicationId, transactionId }, 'a look-up failed');
  if (job.failures + 1 < mostFailures) return putOffLookUp(pool, job);
  const given = { state: 'FAILED', reason: 'internal_error', error: 'internal_error' } as const;
  await saveLookUp(pool, job, { ...given, lookedUpAt: null, lineId: null, notKnownSince: null, again: null });
}

async function ask(
  store: StoreClient,
  { job, deps, signal }: { job: Job; deps: ResolveDeps; signal: AbortSignal },
): Promise<Finding> {
  const { transactionId: id, environment, historyRevision, lineId } = job;
  const endedLine = job.ended ? lineId : null;
  const finding = await lookUpTransaction(store, { id, endedLine, environment, historyRevision }, async ({ first }) => {
    const slot = await takeCallSlot(deps.pool, slotRequest(job, first, deps));
    if (!slot.granted) throw new NotYet(slot.dueAt);
    if (slot.waitMillis > 0) await sleep(slot.waitMillis, undefined, { signal });
    if (!first) await goOnLookingUp(deps.pool, job);
  });
  // The shutdown ended this call, so its failure says nothing about the store.
  signal.throwIfAborted();
  if (finding.verdict === 'retry') {
    const { applicationId, transactionId } = job;
    deps.log.warn({ applicationId, transactionId, cause: finding.cause }, 'the store gave no answer that counts');
    if (finding.retryAt) await pauseCalls(deps.pool, applicationId, finding.retryAt);
  }
  return finding;
}

/**
 * The first call is granted where it is one of the next ones of the application: a look-up takes its turn before it begins, or goes
 * back at once. One that has begun continues before others begin, even behind.
 */
function slotRequest(
  { applicationId, behind, ended }: Job,
  first: boolean,
  { callsPerSecond: perSecond }: ResolveDeps,
): CallSlotRequest {
  const request = { applicationId, perSecond, queued: true };
  if (!first) return { ...request, patienceMillis: withinLookUpMillis, behind: false };
  const waitsBehind = behind || ended;
  return {
    ...request,
    patienceMillis: waitsBehind ? patienceBehind(perSecond) : ahead(4, perSecond),
    behind: waitsBehind,
  };
}

/** So many turns of the application's own pace. */
const ahead = (turns: number, perSecond: number): number => Math.min(500, (turns * 1_000) / perSecond);

/** Fewer than in front, where the look-ups under way then take every turn that they can use. */
export const patienceBehind = (perSecond: number): number => ahead(2, perSecond);

interface Ending {
  deps: ResolveDeps;
  /** Of the credentials with which the store was asked. */
  version: string | null;
}

/** Without a call to the store. The operator repairs all but the first without new credentials: the job asks again. */
function park(
  job: Job,
  reason: 'no_credentials' | 'credentials_unreadable' | 'no_root_certificates',
  ending: Ending,
): Promise<void> {
  const { deps } = ending;
  if (reason !== 'no_credentials') deps.lookedUp('pending');
  const askAgainAt = reason === 'no_credentials' ? null : new Date(deps.now().getTime() + untilConfigured);
  const { state, notKnownSince } = job;
  const decision: Decision = { state, reason, error: reason, askAgainAt, notKnownSince };
  return keep(job, { decision, finding: null }, ending);
}

async function keep(
  job: Job,
  { decision, finding }: { decision: Decision; finding: Finding | null },
  { deps, version }: Ending,
): Promise<void> {
  const { pool, encryption } = deps;
  const result = { decision, finding, now: deps.now() };
  // A conflict with an upload or a notification of the same line ends without another call to the store.
  await retryConflicts(() => inTransaction(pool, (transaction) => saveFinding(transaction, job, result)));
  if (decision.error === null) return;
  // New credentials may have been set during this look-up. Their job did not find this transaction waiting, or was put off,
  // so the transaction would wait for hours or for ever.
  const current = await findStoreCredentials(pool, encryption, job.applicationId);
  const { applicationId, transactionId } = job;
  if (current.version !== version) await wakeLines(pool, await enterLines(pool, [{ applicationId, transactionId }]));
}

async function saveFinding(
  transaction: Transaction,
  job: Job,
  { decision, finding, now }: { decision: Decision; finding: Finding | null; now: Date },
): Promise<void> {
  const { applicationId } = job;
  const found = finding?.verdict === 'found' ? finding : null;
  const again = decision.askAgainAt && { at: decision.askAgainAt, attempt: job.attempt };
  const outcome = { ...decision, lookedUpAt: finding && now, lineId: found?.lineId ?? null, again };
  const save = () => saveLookUp(transaction, job, outcome);
  // Asked for by the id of its line, the store may respond with a renewal: the id asked for belongs to the line too.
  const isNamed = found?.transactions.some((one) => one.transactionId === job.transactionId) ?? false;
  if (found && !isNamed) {
    const ids = [...found.transactions, job].map(({ transactionId }) => transactionId);
    await lockTransactions(transaction, { applicationId, deviceKey: null, transactionIds: [...new Set(ids)] });
  }
  if (!isNamed) await save();
  if (found) await storeStatement(transaction, { applicationId, ...found }, { now, lookUp: found });
  // Not before: rows are locked in the order of their ids.
  if (isNamed) await save();
}

function noteLookUp(
  { applicationId, transactionId }: Job,
  { state, error, askAgainAt }: Decision,
  { log, lookedUp }: ResolveDeps,
): void {
  // A repeated look-up may bring nothing, and the transaction stays resolved.
  const stays = askAgainAt ? 'pending' : 'failed';
  lookedUp(state === 'RESOLVED' && error !== null ? stays : state.toLowerCase());
  log.info({ applicationId, transactionId, state, reason: error }, 'store transaction looked up');
}
