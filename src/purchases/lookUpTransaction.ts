// One look-up at the store: production, then sandbox, then the status of a subscription.
import type { FoundTransaction } from './entitlement.ts';
import { lineIdOf } from './entitlement.ts';
import type { StoreAnswer, StoreClient, StoreEnvironment } from './storeClient.ts';
import { storeVerdict, type StoreVerdict } from './storeVerdict.ts';

export type Finding =
  | ({ verdict: 'found' } & FoundTransaction)
  | { verdict: 'not_found' }
  | Exclude<StoreVerdict, { verdict: 'elsewhere' }>;

const environments: StoreEnvironment[] = ['PRODUCTION', 'SANDBOX'];

/**
 * `beforeCall` is awaited before each call and may throw. When the store refuses the credentials in production, the sandbox
 * is asked too: the store refuses them for every application that was never released (the library's maintainers,
 * app-store-server-library-node issue 60), and such an application has only sandbox purchases.
 */
export async function lookUpTransaction(
  store: StoreClient,
  id: string,
  beforeCall: (call: { first: boolean }) => Promise<void>,
): Promise<Finding> {
  // A URL drops these two path segments, so no address can be built from them.
  if (id === '.' || id === '..') return { verdict: 'failed', reason: 'invalid_id' };
  let refused = false;
  for (const environment of environments) {
    await beforeCall({ first: environment === 'PRODUCTION' });
    const answer = read(await store.transaction(environment, id));
    if (answer.verdict === 'elsewhere') continue;
    if (answer.verdict === 'credentials_refused') refused = true;
    else if (answer.verdict !== 'found') return answer;
    else return withSubscription({ store, environment, transaction: answer.value, beforeCall });
  }
  return { verdict: refused ? 'credentials_refused' : 'not_found' };
}

async function withSubscription({
  store,
  environment,
  transaction,
  beforeCall,
}: Pick<FoundTransaction, 'environment' | 'transaction'> & {
  store: StoreClient;
  beforeCall: (call: { first: boolean }) => Promise<void>;
}): Promise<Finding> {
  const found = { verdict: 'found', environment, transaction } as const;
  if (transaction.kind !== 'AUTO_RENEWABLE') return { ...found, subscription: null };
  await beforeCall({ first: false });
  const status = read(await store.subscription(environment, lineIdOf(transaction)));
  if (status.verdict === 'found') return { ...found, subscription: status.value };
  return status.verdict === 'elsewhere' ? { ...found, subscription: null } : status;
}

function read<Value>(answer: StoreAnswer<Value>): { verdict: 'found'; value: Value } | StoreVerdict {
  return 'value' in answer ? { verdict: 'found', value: answer.value } : storeVerdict(answer.failure);
}
