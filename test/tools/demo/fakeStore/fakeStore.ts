// A stand-in for the store's server API: it checks the token of a request, and sends the signed responses that it was given.
import { createPublicKey } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { mintChain, type Chain } from './certificates.ts';
import {
  originalId,
  signedRenewal,
  signedTransaction,
  wireEnvironment,
  type FakeEnvironment,
  type FakePurchase,
  type Signing,
} from './signedData.ts';

export type FakeAnswer =
  /** The status of a subscription lists `otherLines` of the same customer before the requested purchase. */
  | { purchase: FakePurchase; otherLines?: FakePurchase[]; chain?: Chain }
  | { status: number; code?: number; retryAfter?: string; text?: string }
  | { hang: true };

/** One list for each question. Each request takes the next entry; the last one repeats. A missing list means 404. */
export interface FakeAnswers {
  production?: FakeAnswer[];
  sandbox?: FakeAnswer[];
  /** Responses to requests for a subscription's status, which name the line's id, in either environment. */
  subscription?: FakeAnswer[];
}

export interface FakeCall {
  environment: FakeEnvironment;
  question: 'transaction' | 'subscription';
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
  answer(id: string, answers: FakeAnswers): void;
  allow(account: FakeAccount): void;
  stop(): Promise<void>;
}

interface State {
  chain: Chain;
  accounts: FakeAccount[];
  answers: Map<string, FakeAnswers>;
  /** The number of responses so far, by question and id. */
  turns: Map<string, number>;
  fallback: (id: string, environment: FakeEnvironment) => FakeAnswer;
}

export interface FakeStoreOptions {
  chain?: Chain;
  port?: number;
  /** The response for ids without an entry in `answers`. */
  fallback?: (id: string, environment: FakeEnvironment) => FakeAnswer;
}

export const notFound: FakeAnswer = { status: 404, code: 4_040_010 };

export async function startFakeStore({ chain, port = 0, fallback }: FakeStoreOptions = {}): Promise<FakeStore> {
  const state: State = {
    chain: chain ?? (await mintChain()),
    accounts: [],
    answers: new Map(),
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
    answer: (id, answers) => void state.answers.set(id, answers),
    allow: (account) => void state.accounts.push(account),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const route = /^\/(production|sandbox)\/inApps\/v1\/(transactions|subscriptions)\/([^/?]+)$/;

async function respond(state: State, request: IncomingMessage, response: ServerResponse): Promise<FakeCall | null> {
  const match = route.exec(request.url ?? '');
  if (request.method !== 'GET' || !match) {
    response.writeHead(404).end('Not Found');
    return null;
  }
  const environment = match[1] as FakeEnvironment;
  const question = match[2] === 'transactions' ? 'transaction' : 'subscription';
  const id = decodeURIComponent(match[3]!);
  const at = Date.now();
  const bundleId = await authenticate(state.accounts, request);
  const answer =
    bundleId === null ? { status: 401, text: 'Unauthenticated' } : next(state, { environment, question, id });
  const called = (status: FakeCall['status']): FakeCall => ({ environment, question, id, status, at });
  if ('hang' in answer) return called('hung');
  if ('purchase' in answer) {
    const signing = { chain: answer.chain ?? state.chain, environment, bundleId: bundleId ?? '' };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(bodyOf(question, answer, signing)));
    return called(200);
  }
  if (answer.retryAfter !== undefined) response.setHeader('Retry-After', answer.retryAfter);
  const body = answer.code === undefined ? '' : JSON.stringify({ errorCode: answer.code, errorMessage: 'As told.' });
  response.writeHead(answer.status).end(answer.text ?? body);
  return called(answer.status);
}

function next(
  { answers, turns, fallback }: State,
  { environment, question, id }: Pick<FakeCall, 'environment' | 'question' | 'id'>,
): FakeAnswer {
  const name = question === 'subscription' ? 'subscription' : environment;
  const told = answers.get(id);
  const list = told ? (told[name] ?? [notFound]) : [fallback(id, environment)];
  const turn = turns.get(`${name} ${id}`) ?? 0;
  turns.set(`${name} ${id}`, turn + 1);
  return list[Math.min(turn, list.length - 1)] ?? notFound;
}

function bodyOf(
  question: FakeCall['question'],
  { purchase, otherLines = [] }: Extract<FakeAnswer, { purchase: FakePurchase }>,
  signing: Signing,
): Record<string, unknown> {
  if (question === 'transaction') return { signedTransactionInfo: signedTransaction(purchase, signing) };
  const data = [...otherLines, purchase].map((line, group) => ({
    subscriptionGroupIdentifier: `group-${group}`,
    lastTransactions: [
      {
        originalTransactionId: originalId(line),
        status: 1,
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
