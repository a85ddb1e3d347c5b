// The StoreClient over the vendor's library. Only this file knows the library, its names and its responses.
import {
  AppStoreServerAPIClient as ServerApiClient,
  Environment,
  GetTransactionHistoryVersion,
  ProductType,
  SignedDataVerifier,
  VerificationException,
  VerificationStatus,
} from '@apple/app-store-server-library';
import { withinTime } from '../platform/withinTime.ts';
import { parseRetryAfter } from './retryTimes.ts';
import { renewalOf, transactionOf, type RenewalFields, type TransactionFields } from './signedFields.ts';
import type {
  SignedTransaction,
  StoreAccess,
  StoreAnswer,
  StoreClient,
  StoreEnvironment,
  StoreFailure,
  SubscriptionStatus,
} from './storeClient.ts';

export interface StoreServer {
  /** DER. Signed data is trusted when its chain ends in one of these. */
  rootCertificates: Buffer[];
  /** The address of a stand-in. Absent means the store itself. */
  apiUrl?: string | undefined;
  timeLimitMillis: number;
  now(): Date;
}

// No other environment exists here: for its local environments the library skips every check.
const environments = { PRODUCTION: Environment.PRODUCTION, SANDBOX: Environment.SANDBOX } as const;
const reasons: Partial<Record<VerificationStatus, string>> = {
  [VerificationStatus.INVALID_APP_IDENTIFIER]: 'wrong_bundle',
  [VerificationStatus.INVALID_ENVIRONMENT]: 'wrong_environment',
  [VerificationStatus.INVALID_CHAIN_LENGTH]: 'invalid_certificate',
  [VerificationStatus.INVALID_CERTIFICATE]: 'invalid_certificate',
};

/** `signal` aborts running calls. */
export function createStoreServerClient(server: StoreServer, access: StoreAccess, signal: AbortSignal): StoreClient {
  const verifierFor = (environment: StoreEnvironment): SignedDataVerifier =>
    // Offline verification: chain and signature at the time of signing. The library does not check the app's number for transactions.
    new SignedDataVerifier(server.rootCertificates, false, environments[environment], access.bundleId, 0);
  const ask = <Answer>(environment: StoreEnvironment, call: (calls: Calls) => Promise<Answer>): Promise<Answer> =>
    withinTime(signal, server.timeLimitMillis, (signal) => call(new Calls(server, { access, environment, signal })));
  return {
    transaction: (environment, id) =>
      answered(async () => {
        const { signedTransactionInfo } = await ask(environment, (calls) =>
          calls.getTransactionInfo(encodeURIComponent(id)),
        );
        const transaction = await verifiedTransaction(verifierFor(environment), signedTransactionInfo);
        if (id !== transaction.transactionId && id !== transaction.originalTransactionId) {
          throw wrongTransaction();
        }
        return transaction;
      }),
    subscription: (environment, lineId) =>
      answered(async () => {
        const { data = [] } = await ask(environment, (calls) =>
          calls.getAllSubscriptionStatuses(encodeURIComponent(lineId)),
        );
        const lines = data.flatMap(({ lastTransactions = [] }) => lastTransactions);
        const line = lines.find(({ originalTransactionId }) => originalTransactionId === lineId);
        return line ? await verifiedStatus(verifierFor(environment), { ...line, lineId }) : null;
      }),
    history: (environment, lineId, revision) =>
      answered(async () => {
        const wanted = { productTypes: [ProductType.AUTO_RENEWABLE] };
        const page = await ask(environment, (calls) =>
          calls.getTransactionHistory(encodeURIComponent(lineId), revision, wanted, GetTransactionHistoryVersion.V2),
        );
        const verifier = verifierFor(environment);
        const signed = page.signedTransactions ?? [];
        const transactions = await Promise.all(signed.map((text) => verifiedTransaction(verifier, text)));
        return { transactions, revision: page.revision ?? null, hasMore: page.hasMore === true };
      }),
  };
}

async function verifiedStatus(
  verifier: SignedDataVerifier,
  line: { lineId: string; signedTransactionInfo?: string; signedRenewalInfo?: string },
): Promise<SubscriptionStatus> {
  const latest = await verifiedTransaction(verifier, line.signedTransactionInfo);
  if (latest.originalTransactionId !== line.lineId) throw wrongTransaction();
  if (line.signedRenewalInfo === undefined) return { latest, renewal: null };
  const fields: unknown = await verifier.verifyAndDecodeRenewalInfo(line.signedRenewalInfo);
  const renewal = renewalOf(fields as RenewalFields, line.lineId, latest.signedAt);
  if (!renewal) throw wrongTransaction();
  return { latest, renewal };
}

async function verifiedTransaction(
  verifier: SignedDataVerifier,
  signed: string | undefined,
): Promise<SignedTransaction> {
  if (signed === undefined) throw new Failure({ kind: 'unreachable', detail: 'the answer holds no transaction' });
  const fields: unknown = await verifier.verifyAndDecodeTransaction(signed);
  const transaction = transactionOf(fields as TransactionFields);
  if (typeof transaction === 'string') throw new Failure({ kind: 'unverified', reason: transaction });
  return transaction;
}

const wrongTransaction = (): Failure => new Failure({ kind: 'unverified', reason: 'wrong_transaction' });

class Failure extends Error {
  readonly failure: StoreFailure;
  constructor(failure: StoreFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

async function answered<Value>(call: () => Promise<Value>): Promise<StoreAnswer<Value>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof Failure) return { failure: error.failure };
    if (error instanceof VerificationException) {
      return { failure: { kind: 'unverified', reason: reasons[error.status] ?? 'not_verified' } };
    }
    return { failure: { kind: 'unreachable', detail: detailOf(error) } };
  }
}

/** `fetch` gives the reason as the code of its cause: `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error.name;
}

/** Makes the library's calls with an abort signal and the configured address, and classifies errors itself. */
class Calls extends ServerApiClient {
  readonly #server: StoreServer;
  readonly #base: string;
  readonly #signal: AbortSignal;

  constructor(
    server: StoreServer,
    { access, environment, signal }: { access: StoreAccess; environment: StoreEnvironment; signal: AbortSignal },
  ) {
    super(access.privateKey, access.keyId, access.issuerId, access.bundleId, environments[environment]);
    this.#server = server;
    this.#signal = signal;
    const own = Reflect.get(this, 'urlBase') as string;
    this.#base = server.apiUrl === undefined ? own : `${server.apiUrl}/${environment.toLowerCase()}`;
  }

  // The library's signature: five parameters, and the response type of another fetch, of which the library uses only
  // members that ours has too.
  // eslint-disable-next-line max-params
  protected override async makeFetchRequest(
    path: string,
    query: URLSearchParams,
    method: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
  ): Promise<never> {
    if (body !== undefined) throw new Error('only reading calls are made');
    const signal = this.#signal;
    const search = query.size > 0 ? `?${query.toString()}` : '';
    // A redirect would carry the token to another host.
    const response = await fetch(`${this.#base}${path}${search}`, { method, headers, signal, redirect: 'error' });
    if (!response.ok) throw new Failure(await this.#refusal(response));
    return response as never;
  }

  /** Not every error has a JSON body: a 401 has plain text. */
  async #refusal(response: Response): Promise<StoreFailure> {
    const body: unknown = await response.json().catch(() => null);
    const code = typeof body === 'object' && body !== null && 'errorCode' in body ? body.errorCode : null;
    const retryAt = parseRetryAfter(response.headers.get('retry-after'), this.#server.now());
    return { kind: 'status', status: response.status, code: typeof code === 'number' ? code : null, retryAt };
  }
}
