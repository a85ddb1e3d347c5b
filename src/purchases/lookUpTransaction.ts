// One look-up at the store: production, then sandbox, then the status and the history of a subscription.
import { type Backoff, retryDelay } from '../platform/outboundCalls.ts';
import { lineIdOf } from './entitlement.ts';
import {
  defaultBackoff,
  notKnownForMillis,
  refusedBackoff,
  type SignedRenewal,
  type SignedTransaction,
  type StoreResponse,
  type StoreClient,
  type StoreEnvironment,
  storeVerdict,
  type StoreVerdict,
} from './storeClient.ts';
import type { BegunLookUp, TransactionState } from './storeTransactionsStore.ts';

export interface Found {
  verdict: 'found';
  environment: StoreEnvironment;
  lineId: string;
  transactions: SignedTransaction[];
  renewals: SignedRenewal[];
  /** The end of the part of the history that was read; null where none was. */
  historyRevision: string | null;
  /** A part of the history could not be read. */
  incomplete: boolean;
}

export type Finding = Found | { verdict: 'not_found' } | Exclude<StoreVerdict, { verdict: 'elsewhere' }>;

export interface Wanted {
  id: string;
  /** The line of an auto-renewable subscription whose period has ended: its status and history say everything. */
  endedLine: string | null;
  /** Null before the transaction is resolved: both are asked. */
  environment: StoreEnvironment | null;
  /** Where the history is read from; null for its begin. */
  historyRevision: string | null;
}

interface Store {
  client: StoreClient;
  /** Awaited before each call; may throw. */
  beforeCall: (call: { first: boolean }) => Promise<void>;
}

/** A customer's history has 20 transactions a page. The next look-up goes on after so many pages. */
const pagesAtOnce = 50;

/**
 * When the store refuses the credentials in production, the sandbox is asked too: the store refuses them for every
 * application that was never released (the library's maintainers, app-store-server-library-node issue 60), and such an
 * application has only sandbox purchases.
 */
export async function lookUpTransaction(
  client: StoreClient,
  wanted: Wanted,
  beforeCall: Store['beforeCall'],
): Promise<Finding> {
  const { id, environment: known, endedLine } = wanted;
  const store = { client, beforeCall };
  if (endedLine !== null && known) return lookUpLine(store, { ...wanted, environment: known, lineId: endedLine });
  // A URL drops these two path segments, so no address can be built from them.
  if (id === '.' || id === '..') return { verdict: 'failed', reason: 'invalid_id' };
  let refused = false;
  const environments: StoreEnvironment[] = known ? [known] : ['PRODUCTION', 'SANDBOX'];
  for (const environment of environments) {
    await beforeCall({ first: environment === environments[0] });
    const response = read(await client.transaction(environment, id));
    if (response.verdict === 'elsewhere') continue;
    if (response.verdict === 'credentials_refused') refused = true;
    else if (response.verdict !== 'found') return response;
    else return withLine(store, { ...wanted, environment, transaction: response.value });
  }
  return { verdict: refused ? 'credentials_refused' : 'not_found' };
}

async function withLine(
  store: Store,
  { transaction, ...wanted }: Wanted & { environment: StoreEnvironment; transaction: SignedTransaction },
): Promise<Finding> {
  const lineId = lineIdOf(transaction);
  const { environment } = wanted;
  if (transaction.kind !== 'AUTO_RENEWABLE') {
    const rest = { renewals: [], historyRevision: null, incomplete: false };
    return { verdict: 'found', environment, lineId, transactions: [transaction], ...rest };
  }
  const line = await lookUpLine(store, { ...wanted, lineId, endedLine: null });
  if (line.verdict !== 'found') return line;
  return { ...line, transactions: [transaction, ...line.transactions] };
}

/** The status gives the latest period and the renewal; the history each transaction that has changed since. */
async function lookUpLine(
  store: Store,
  { lineId, environment, endedLine, historyRevision }: Wanted & { lineId: string; environment: StoreEnvironment },
): Promise<Finding> {
  await store.beforeCall({ first: endedLine !== null });
  const status = read(await store.client.subscription(environment, lineId));
  if (status.verdict !== 'found' && status.verdict !== 'elsewhere') return status;
  const subscription = status.verdict === 'found' ? status.value : null;
  if (!subscription && endedLine !== null) return { verdict: 'not_found' };
  const history = await readHistory(store, { environment, lineId, historyRevision });
  return {
    ...{ verdict: 'found', environment, lineId },
    transactions: [...(subscription ? [subscription.latest] : []), ...history.transactions],
    renewals: subscription?.renewal ? [subscription.renewal] : [],
    ...{ historyRevision: history.revision, incomplete: history.incomplete },
  };
}

/** A history that cannot be read does not keep the purchase from its buyer: what was read of it counts. */
async function readHistory(
  { client, beforeCall }: Store,
  { environment, lineId, historyRevision }: Pick<Found, 'environment' | 'lineId' | 'historyRevision'>,
): Promise<{ transactions: SignedTransaction[]; revision: string | null; incomplete: boolean }> {
  const transactions: SignedTransaction[] = [];
  let revision = historyRevision;
  for (let page = 0; page < pagesAtOnce; page += 1) {
    await beforeCall({ first: false });
    const response = await client.history(environment, lineId, revision);
    if ('failure' in response) {
      const incomplete = storeVerdict(response.failure).verdict !== 'elsewhere';
      return { transactions, revision, incomplete };
    }
    const { value } = response;
    transactions.push(...value.transactions.filter((one) => one.originalTransactionId === lineId));
    revision = value.revision ?? revision;
    if (!value.hasMore) return { transactions, revision, incomplete: false };
  }
  return { transactions, revision, incomplete: true };
}

function read<Value>(response: StoreResponse<Value>): { verdict: 'found'; value: Value } | StoreVerdict {
  return 'value' in response ? { verdict: 'found', value: response.value } : storeVerdict(response.failure);
}

// Decides what a look-up makes of its transaction (pure).

export interface Decision {
  state: TransactionState;
  reason: string | null;
  /** Why the look-up brought nothing; null where it succeeded. */
  error: string | null;
  /** When the store is asked again by itself; null for no more. */
  askAgainAt: Date | null;
  notKnownSince: Date | null;
}

export interface Circumstances {
  /** The number of this attempt, from 1. */
  attempt: number;
  now: Date;
  /** A random number from 0 to 1 that spreads the retries. */
  random: number;
  backoff?: Backoff;
  /** How long the store may not know a transaction before it is NOT_FOUND. */
  notKnownMillis?: number;
}

type Before = Pick<BegunLookUp, 'state' | 'notKnownSince'>;

/** A repeated look-up leaves the state as it is until it succeeds. */
export function decide(finding: Finding, before: Before, circumstances: Circumstances): Decision {
  const { now, random, attempt, backoff = defaultBackoff } = circumstances;
  const { state, notKnownSince } = before;
  const [first, kept] = [state === 'PENDING', { notKnownSince, state, reason: null }];
  const unless = (askAgainAt: Date | null, error: string): Decision =>
    first ? { ...kept, reason: error, error, askAgainAt } : { ...kept, error, askAgainAt };
  switch (finding.verdict) {
    case 'found':
      return { state: 'RESOLVED', reason: null, error: null, askAgainAt: null, notKnownSince: null };
    case 'not_found':
      return notKnown(before, circumstances);
    case 'failed':
      return first ? { ...unless(null, finding.reason), state: 'FAILED' } : unless(null, finding.reason);
    case 'credentials_refused': {
      const pause = retryDelay(attempt, random, refusedBackoff)!;
      return unless(new Date(now.getTime() + pause), 'credentials_refused');
    }
    case 'retry': {
      const delay = retryDelay(attempt, random, backoff);
      if (delay === null && first) return { ...unless(null, 'retries_exhausted'), state: 'FAILED' };
      if (delay === null) return unless(null, 'retries_exhausted');
      // The later of the store's time and our own: a store that always says "in a second" would use up all attempts.
      const askAgainAt = Math.max(now.getTime() + delay, finding.retryAt?.getTime() ?? 0);
      return unless(new Date(askAgainAt), finding.reason);
    }
  }
}

/** A store may learn of a purchase later than the app. A RESOLVED transaction is known, whatever the store says now. */
function notKnown({ state, notKnownSince }: Before, circumstances: Circumstances): Decision {
  const { now, random, attempt, backoff = defaultBackoff, notKnownMillis = notKnownForMillis } = circumstances;
  const error = 'not_known_yet';
  if (state === 'RESOLVED') return { state, reason: null, error, askAgainAt: null, notKnownSince: null };
  const since = notKnownSince ?? now;
  const end = since.getTime() + notKnownMillis;
  const final = state === 'PENDING' ? 'NOT_FOUND' : state;
  if (now.getTime() >= end) return { state: final, reason: null, error, askAgainAt: null, notKnownSince: since };
  const pause = retryDelay(attempt, random, { ...backoff, attempts: Infinity })!;
  // The last attempt is at the end of the time.
  const askAgainAt = new Date(Math.min(now.getTime() + pause, end));
  return { state, reason: state === 'PENDING' ? error : null, error, askAgainAt, notKnownSince: since };
}
