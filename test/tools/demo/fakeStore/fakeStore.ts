// A stand-in for the store's server API: it checks the token of a request, and sends the signed responses that it was given.
import { createPublicKey } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { mintChain, type Chain } from './certificates.ts';
import { Ledger } from './ledger.ts';
import { Notifications, type FakeNotification, type SentNotification } from './notifications.ts';
import {
  originalId,
  signedRenewal,
  signedTransaction,
  wireEnvironment,
  type FakeEnvironment,
  type FakePurchase,
  type Signing,
} from './signedData.ts';

export type Refusal = { status: number; code?: number; retryAfter?: string; text?: string } | { hang: true };

export type FakeResponse =
  /** The status of a subscription lists `otherLines` of the same customer before the requested purchase. */
  { purchase: FakePurchase; otherLines?: FakePurchase[]; chain?: Chain } | Refusal;

/** A page of a line's history. */
export interface HistoryResponse {
  purchases: FakePurchase[];
  revision: string;
  hasMore: boolean;
}

/** One list for each question. Each request takes the next entry; the last one repeats. A missing list means 404. */
export interface FakeResponses {
  production?: FakeResponse[];
  sandbox?: FakeResponse[];
  /** Responses to requests for a subscription's status, which name the line's id, in either environment. */
  subscription?: FakeResponse[];
  /** Responses to requests for a line's history. A missing list means an empty page. */
  history?: (FakeResponse | HistoryResponse)[];
}

export interface FakeCall {
  environment: FakeEnvironment;
  /** A call for the history of notifications names the bundle id. */
  question: 'transaction' | 'subscription' | 'history' | 'notifications';
  id: string;
  status: number | 'hung';
  at: number;
}

/** The fake store accepts a token that this key has signed and that names the other fields. */
export interface FakeAccount {
  issuerId: string;
  keyId: string;
  privateKey: string;
  bundleId: string;
}

export interface FakeStore {
  url: string;
  chain: Chain;
  calls: FakeCall[];
  /** What the store responds to questions for an id, in place of what it has sold. */
  respondWith(id: string, responses: FakeResponses): void;
  /** Sells, renews or refunds: `Ledger.sell`. */
  sell(...purchases: FakePurchase[]): void;
  /** All transactions that the store has sold, each as it stands now. */
  sold(): FakePurchase[];
  allow(account: FakeAccount): void;
  /**
   * Makes a notification, and keeps it in the history of notifications. Sends it to `url`; without one the server never
   * gets it. `status` is that of the response, or 0 without one.
   */
  notify(notification: FakeNotification, url?: string): Promise<SentNotification & { status: number }>;
  /** Each call for a page of the history of notifications takes the next of these responses, before any page. */
  responseNotifications(...responses: Refusal[]): void;
  stop(): Promise<void>;
}

interface State {
  chain: Chain;
  accounts: FakeAccount[];
  responses: Map<string, FakeResponses>;
  ledger: Ledger;
  notifications: Notifications;
  /** The number of responses so far, by question and id. */
  turns: Map<string, number>;
  fallback: (id: string, environment: FakeEnvironment) => FakeResponse;
}

export interface FakeStoreOptions {
  chain?: Chain;
  port?: number;
  /** The response for ids without an entry in `responses`. */
  fallback?: (id: string, environment: FakeEnvironment) => FakeResponse;
}

export const notFound: FakeResponse = { status: 404, code: 4_040_010 };

export async function startFakeStore({ chain, port = 0, fallback }: FakeStoreOptions = {}): Promise<FakeStore> {
  const state: State = {
    chain: chain ?? (await mintChain()),
    accounts: [],
    responses: new Map(),
    ledger: new Ledger(),
    notifications: new Notifications(),
    turns: new Map(),
    fallback: fallback ?? (() => notFound),
  };
  const calls: FakeCall[] = [];
  const server = createServer((request, response) => {
    respond(state, request, response).then(
      (call) => call && calls.push(call),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chain: state.chain,
    calls,
    respondWith: (id, responses) => void state.responses.set(id, responses),
    sell: (...purchases) => state.ledger.sell(...purchases),
    sold: () => state.ledger.sold(),
    allow: (account) => void state.accounts.push(account),
    notify: (notification, url) => state.notifications.notify(notification, { chain: state.chain, url }),
    responseNotifications: (...responses) => void state.notifications.refusals.push(...responses),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const route = /^\/(production|sandbox)\/inApps\/v[12]\/(transactions|subscriptions|history)\/([^/?]+)(?:\?(.*))?$/;
const questions = { transactions: 'transaction', subscriptions: 'subscription', history: 'history' } as const;
type Question = (typeof questions)[keyof typeof questions];

async function respond(state: State, request: IncomingMessage, response: ServerResponse): Promise<FakeCall | null> {
  const { accounts, notifications } = state;
  const told = await notifications.respond(request, () => authenticate(accounts, request));
  if (told) {
    const status = 'page' in told ? 200 : refuse(told, response);
    if ('page' in told) response.setHeader('Content-Type', 'application/json').end(JSON.stringify(told.page));
    return {
      environment: told.environment,
      question: 'notifications',
      id: told.bundleId ?? '',
      status,
      at: Date.now(),
    };
  }
  const match = route.exec(request.url ?? '');
  if (request.method !== 'GET' || !match) {
    response.writeHead(404).end('Not Found');
    return null;
  }
  const environment = match[1] as FakeEnvironment;
  const question = questions[match[2] as keyof typeof questions];
  const id = decodeURIComponent(match[3]!);
  const at = Date.now();
  const bundleId = await authenticate(state.accounts, request);
  const asked = { environment, question, id, revision: new URLSearchParams(match[4]).get('revision') };
  const result = bundleId === null ? { status: 401, text: 'Unauthenticated' } : next(state, asked);
  const called = (status: FakeCall['status']): FakeCall => ({ environment, question, id, status, at });
  if ('purchase' in result || 'purchases' in result) {
    const chain = ('chain' in result && result.chain) || state.chain;
    const signing = { chain, environment, bundleId: bundleId ?? '' };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(bodyOf(question, result, signing)));
    return called(200);
  }
  return called(refuse(result, response));
}

function refuse(result: Refusal, response: ServerResponse): FakeCall['status'] {
  if ('hang' in result) return 'hung';
  if (result.retryAfter !== undefined) response.setHeader('Retry-After', result.retryAfter);
  const body = result.code === undefined ? '' : JSON.stringify({ errorCode: result.code, errorMessage: 'As told.' });
  response.writeHead(result.status).end(result.text ?? body);
  return result.status;
}

function next(
  { responses: results, turns, fallback, ledger }: State,
  {
    environment,
    question,
    id,
    revision,
  }: Pick<FakeCall, 'environment' | 'id'> & { question: Question; revision: string | null },
): FakeResponse | HistoryResponse {
  const name = question === 'transaction' ? environment : question;
  const told = results.get(id)?.[name];
  if (!told && ledger.knows(id)) {
    if (question === 'transaction') return ledger.transaction(id, environment);
    return question === 'history' ? ledger.history(id, environment, revision) : ledger.subscription(id, environment);
  }
  const empty = { purchases: [], revision: revision ?? 'none', hasMore: false };
  const silent = question === 'history' ? empty : results.has(id) ? notFound : fallback(id, environment);
  const list = told ?? [silent];
  const turn = turns.get(`${name} ${id}`) ?? 0;
  turns.set(`${name} ${id}`, turn + 1);
  return list[Math.min(turn, list.length - 1)] ?? notFound;
}

function bodyOf(
  question: FakeCall['question'],
  result: Extract<FakeResponse, { purchase: FakePurchase }> | HistoryResponse,
  signing: Signing,
): Record<string, unknown> {
  if ('purchases' in result) {
    const signedTransactions = result.purchases.map((purchase) => signedTransaction(purchase, signing));
    return { revision: result.revision, hasMore: result.hasMore, bundleId: signing.bundleId, signedTransactions };
  }
  const { purchase, otherLines = [] } = result;
  if (question === 'transaction') return { signedTransactionInfo: signedTransaction(purchase, signing) };
  const data = [...otherLines, purchase].map((line, group) => ({
    subscriptionGroupIdentifier: `group-${group}`,
    lastTransactions: [
      {
        originalTransactionId: originalId(line),
        status: line.status ?? 1,
        signedTransactionInfo: signedTransaction(line, signing),
        signedRenewalInfo: signedRenewal(line, signing),
      },
    ],
  }));
  return { environment: wireEnvironment(signing.environment), bundleId: signing.bundleId, data };
}

/** The bundle id of the token; null when no account accepts the token. */
async function authenticate(accounts: FakeAccount[], { headers }: IncomingMessage): Promise<string | null> {
  const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
  for (const { issuerId, keyId, privateKey, bundleId } of accounts) {
    const options = { issuer: issuerId, audience: 'appstoreconnect-v1', algorithms: ['ES256'], typ: 'JWT' };
    const verified = await jwtVerify(token, createPublicKey(privateKey), options).catch(() => null);
    if (verified?.protectedHeader.kid === keyId && verified.payload['bid'] === bundleId) return bundleId;
  }
  return null;
}
