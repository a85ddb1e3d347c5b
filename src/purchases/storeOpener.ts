// Opens the store for a look-up: the configured store, or outside production the stand-in of a running demo, or none.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  AppStoreServerAPIClient as ServerApiClient,
  GetTransactionHistoryVersion,
  type NotificationHistoryResponse,
  ProductType,
} from '@apple/app-store-server-library';
import type { Log } from '../platform/observability/log.ts';
import { withTimeout } from '../platform/outboundCalls.ts';
import {
  responseOf,
  environments,
  Failure,
  verifiedStatus,
  verifiedTransaction,
  verifierFor,
  verifyNotification,
  wrongTransaction,
} from './signedData.ts';
import {
  type NotificationPage,
  type NotificationSpan,
  parseRetryAfter,
  type StoreAccess,
  type StoreResponse,
  type StoreClient,
  type StoreEnvironment,
  type StoreFailure,
  type StoreNotification,
} from './storeClient.ts';

export interface StoreOptions {
  /** Files, PEM or DER. */
  storeRootCertificates: string[];
  storeApiUrl: string | undefined;
}

/** The address and the root certificates of the store. */
type Store = Pick<StoreServer, 'apiUrl' | 'rootCertificates'>;

/** A stand-in for the store; null while there is none. */
export type FindStandIn = () => Promise<Store | null>;

/** Null without root certificates: nothing that the store signed can be verified. */
export type FindStore = () => Promise<Store | null>;

/** Null without root certificates: no response could be verified. */
export type OpenStore = (access: StoreAccess, signal: AbortSignal) => Promise<StoreClient | null>;

interface Finding {
  log: Log;
  /** Asked at each look-up, where no root certificates are configured; null in production. */
  findStandIn: FindStandIn | null;
}

/** Reads the root certificates, and warns where they are missing. Rejects when a file cannot be used. */
export async function createStoreFinder(
  { storeRootCertificates, storeApiUrl: apiUrl }: StoreOptions,
  { log, findStandIn }: Finding,
): Promise<FindStore> {
  const { certificates: rootCertificates, missing } = await readRootCertificates(storeRootCertificates);
  // With some of the files missing all transactions wait: what verifies under a missing root would be FAILED, for good.
  if (rootCertificates.length > 0 && missing.length === 0) return async () => ({ rootCertificates, apiUrl });
  if (findStandIn === null) log.warn({ missing }, 'no root certificates of the store: store transactions wait');
  else log.info('no STORE_ROOT_CERTIFICATES: store transactions wait unverified');
  return async () => findStandIn && (await findStandIn());
}

export function createStoreOpener(
  findStore: FindStore,
  terms: Pick<StoreServer, 'timeLimitMillis' | 'now'>,
): OpenStore {
  return async (access, signal) => {
    const store = await findStore();
    return store && createStoreServerClient({ ...store, ...terms }, access, signal);
  };
}

// The StoreClient over the vendor's library. Only this file and signedData.ts know the library, its names and its responses.

export interface StoreServer {
  /** DER. Signed data is trusted when its chain ends in one of these. */
  rootCertificates: Buffer[];
  /** The address of a stand-in. Absent means the store itself. */
  apiUrl?: string | undefined;
  timeLimitMillis: number;
  now(): Date;
}

/** `signal` aborts running calls. */
export function createStoreServerClient(server: StoreServer, access: StoreAccess, signal: AbortSignal): StoreClient {
  const { rootCertificates } = server;
  const verify = (signedPayload: string) => verifyNotification(rootCertificates, access, signedPayload);
  const verifierOf = (environment: StoreEnvironment) => verifierFor(rootCertificates, environment, access);
  const ask = <Result>(environment: StoreEnvironment, call: (calls: Calls) => Promise<Result>): Promise<Result> =>
    withTimeout(signal, server.timeLimitMillis, (signal) => call(new Calls(server, { access, environment, signal })));
  return {
    transaction: (environment, id) =>
      responseOf(async () => {
        const { signedTransactionInfo } = await ask(environment, (calls) =>
          calls.getTransactionInfo(encodeURIComponent(id)),
        );
        const transaction = await verifiedTransaction(verifierOf(environment), signedTransactionInfo);
        if (![transaction.transactionId, transaction.originalTransactionId].includes(id)) throw wrongTransaction();
        return transaction;
      }),
    subscription: (environment, lineId) =>
      responseOf(async () => {
        const { data = [] } = await ask(environment, (calls) =>
          calls.getAllSubscriptionStatuses(encodeURIComponent(lineId)),
        );
        const lines = data.flatMap(({ lastTransactions = [] }) => lastTransactions);
        const line = lines.find(({ originalTransactionId }) => originalTransactionId === lineId);
        return line ? await verifiedStatus(verifierOf(environment), { ...line, lineId }) : null;
      }),
    history: (environment, lineId, revision) =>
      responseOf(async () => {
        const wanted = { productTypes: [ProductType.AUTO_RENEWABLE] };
        const page = await ask(environment, (calls) =>
          calls.getTransactionHistory(encodeURIComponent(lineId), revision, wanted, GetTransactionHistoryVersion.V2),
        );
        const verifier = verifierOf(environment);
        const signed = page.signedTransactions ?? [];
        const transactions = await Promise.all(signed.map((text) => verifiedTransaction(verifier, text)));
        return { transactions, revision: page.revision ?? null, hasMore: page.hasMore === true };
      }),
    notifications: (environment, span) =>
      responseOf(async () => readPage(await ask(environment, (calls) => calls.notifications(span)), verify)),
  };
}

/** What does not verify keeps nobody from the rest of the page. */
async function readPage(
  { notificationHistory = [], hasMore, paginationToken }: NotificationHistoryResponse,
  verify: (signedPayload: string) => Promise<StoreResponse<StoreNotification>>,
): Promise<NotificationPage> {
  const signed = notificationHistory.flatMap(({ signedPayload }) => signedPayload ?? []);
  const read = await Promise.all(signed.map(verify));
  const notifications = read.map((one) => ('value' in one ? one.value : { unverified: reasonOf(one.failure) }));
  return { notifications, token: hasMore === true ? (paginationToken ?? null) : null };
}

function reasonOf(failure: StoreFailure): string {
  return failure.kind === 'unverified' ? failure.reason : failure.kind;
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

  notifications({ from, until, token }: NotificationSpan): Promise<NotificationHistoryResponse> {
    return this.getNotificationHistory(token, { startDate: from.getTime(), endDate: until.getTime() });
  }

  // The library's signature: five parameters, and the response type of another fetch, of which the library uses only
  // members that ours has too.
  protected override async makeFetchRequest(
    path: string,
    query: URLSearchParams,
    method: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
  ): Promise<never> {
    // The history of notifications is read by a POST.
    if (body !== undefined && typeof body !== 'string') throw new Error('only reading calls are made');
    const signal = this.#signal;
    const search = query.size > 0 ? `?${query.toString()}` : '';
    // A redirect would carry the token to another host.
    const response = await fetch(`${this.#base}${path}${search}`, {
      method,
      headers,
      signal,
      redirect: 'error',
      ...(body !== undefined && { body }),
    });
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

// Reads the configured root certificates of the store: files in PEM (one or several certificates) or DER.

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export interface RootCertificates {
  /** In DER. */
  certificates: Buffer[];
  /** Files that do not exist. */
  missing: string[];
}

/** Throws one error that names every file that exists and is unusable: the wrong file was configured. */
export async function readRootCertificates(files: string[]): Promise<RootCertificates> {
  const read = await Promise.allSettled(files.map(readOne));
  const refused = read.flatMap((result, index) =>
    result.status === 'rejected' ? { file: files[index]!, error: result.reason as NodeJS.ErrnoException } : [],
  );
  const isMissing = ({ error }: { error: NodeJS.ErrnoException }): boolean => error.code === 'ENOENT';
  const problems = refused.filter((each) => !isMissing(each)).map(({ file, error }) => `  ${file}: ${error.message}`);
  if (problems.length > 0) throw new Error(`STORE_ROOT_CERTIFICATES cannot be used:\n${problems.join('\n')}`);
  const certificates = read.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  return { certificates, missing: refused.filter(isMissing).map(({ file }) => file) };
}

async function readOne(file: string): Promise<Buffer[]> {
  const bytes = await readFile(file);
  const blocks = bytes.toString('latin1').match(pem) ?? [bytes];
  return blocks.map((block) => {
    const certificate = new X509Certificate(block);
    if (!certificate.ca) throw new Error(`${certificate.subject} is no certificate authority`);
    return certificate.raw;
  });
}
