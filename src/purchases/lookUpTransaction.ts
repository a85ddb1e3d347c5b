// One look-up at the store: production, then sandbox, then the status and the history of a subscription.
import type { SignedRenewal, SignedTransaction, StoreAnswer, StoreClient, StoreEnvironment } from './storeClient.ts';
import { lineIdOf } from './entitlement.ts';
import { storeVerdict, type StoreVerdict } from './storeVerdict.ts';

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
    const answer = read(await client.transaction(environment, id));
    if (answer.verdict === 'elsewhere') continue;
    if (answer.verdict === 'credentials_refused') refused = true;
    else if (answer.verdict !== 'found') return answer;
    else return withLine(store, { ...wanted, environment, transaction: answer.value });
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
    const answer = await client.history(environment, lineId, revision);
    if ('failure' in answer) {
      const incomplete = storeVerdict(answer.failure).verdict !== 'elsewhere';
      return { transactions, revision, incomplete };
    }
    const { value } = answer;
    transactions.push(...value.transactions.filter((one) => one.originalTransactionId === lineId));
    revision = value.revision ?? revision;
    if (!value.hasMore) return { transactions, revision, incomplete: false };
  }
  return { transactions, revision, incomplete: true };
}

function read<Value>(answer: StoreAnswer<Value>): { verdict: 'found'; value: Value } | StoreVerdict {
  return 'value' in answer ? { verdict: 'found', value: answer.value } : storeVerdict(answer.failure);
}
