// The fake store's notifications: signed, sent to a server, and kept for the questions about its history.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Chain } from './certificates.ts';
import type { Refusal } from './fakeStore.ts';
import { jws, signedRenewal, signedTransaction, wireEnvironment } from './signedData.ts';
import type { FakeEnvironment, FakePurchase } from './signedData.ts';

export interface FakeNotification {
  /** `notificationType` and `subtype`, as on the wire. */
  type: string;
  subtype?: string;
  /** What `data` tells: the transaction, and the renewal of an auto-renewable subscription. */
  purchase?: FakePurchase;
  /** Default: production. */
  environment?: FakeEnvironment;
  /** Default: a new one. */
  uuid?: string;
  /** Default: now. */
  signedAt?: Date;
  /** The store's number of the app. Default: 1234567890 in production, as the sandbox gives none. */
  appId?: number;
  bundleId: string;
  /** In place of `data`: its name, as `summary`, with its fields. */
  instead?: { name: 'summary' | 'appData' | 'externalPurchaseToken'; fields: Record<string, unknown> };
  /** The chain that signs all of it. Default: the store's. */
  chain?: Chain;
  /** Fields of the signed payload; they replace those above, and undefined omits a field. */
  payload?: Record<string, unknown>;
}

export interface SentNotification {
  uuid: string;
  signedPayload: string;
  environment: FakeEnvironment;
  bundleId: string;
  signedAt: Date;
}

export const fakeAppId = 1_234_567_890;

/** Signs, and sends nothing. */
export function signNotification(notification: FakeNotification, storeChain: Chain): SentNotification {
  const { type, subtype, environment = 'production', uuid = randomUUID(), signedAt = new Date() } = notification;
  const { bundleId, chain = storeChain, payload } = notification;
  const signedPayload = jws(chain, {
    ...{ notificationType: type, subtype, notificationUUID: uuid, version: '2.0', signedDate: signedAt.getTime() },
    ...contentOf({ ...notification, chain, environment }),
    ...payload,
  });
  return { uuid, signedPayload, environment, bundleId, signedAt };
}

type Signed = FakeNotification & { chain: Chain; environment: FakeEnvironment };

function contentOf({ purchase, environment, chain, bundleId, appId, instead }: Signed): Record<string, unknown> {
  const app = {
    appAppleId: appId ?? (environment === 'production' ? fakeAppId : undefined),
    bundleId,
  };
  if (instead?.name === 'externalPurchaseToken') return { externalPurchaseToken: { ...app, ...instead.fields } };
  const addressed = { ...app, environment: wireEnvironment(environment) };
  if (instead) return { [instead.name]: { ...addressed, ...instead.fields } };
  const signing = { chain, environment, bundleId };
  const renews = purchase?.kind === 'AUTO_RENEWABLE';
  return {
    data: {
      ...{ ...addressed, bundleVersion: '1' },
      signedTransactionInfo: purchase && signedTransaction(purchase, signing),
      signedRenewalInfo: renews ? signedRenewal(purchase, signing) : undefined,
    },
  };
}

/** One attempt, as the store makes it. The status of the response, or 0 without one. */
export async function sendNotification({ signedPayload }: Pick<SentNotification, 'signedPayload'>, url: string) {
  const headers = { 'Content-Type': 'application/json' };
  const sent = fetch(url, { method: 'POST', headers, body: JSON.stringify({ signedPayload }) });
  const response = await sent.catch(() => null);
  await response?.arrayBuffer();
  return response?.status ?? 0;
}

const pageSize = 20;
const route = /^\/(production|sandbox)\/inApps\/v1\/notifications\/history(?:\?(.*))?$/;

type Told = { environment: FakeEnvironment; bundleId: string | null } & (Refusal | { page: unknown });

/** All notifications that the store has made, and what it tells of them. */
export class Notifications {
  readonly #all: SentNotification[] = [];
  /** Each call for a page takes the next of these, before any page. */
  readonly refusals: Refusal[] = [];

  async notify(notification: FakeNotification, { chain, url }: { chain: Chain; url: string | undefined }) {
    const made = signNotification(notification, chain);
    this.#all.push(made);
    return { ...made, status: url === undefined ? 0 : await sendNotification(made, url) };
  }

  /** Null for another question than that for a page of the history. */
  async respond(request: IncomingMessage, authenticate: () => Promise<string | null>): Promise<Told | null> {
    const match = route.exec(request.url ?? '');
    if (request.method !== 'POST' || !match) return null;
    const environment = match[1] as FakeEnvironment;
    const bundleId = await authenticate();
    if (bundleId === null) return { environment, bundleId, status: 401, text: 'Unauthenticated' };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as { startDate: number; endDate: number };
    const refusal = this.refusals.shift();
    if (refusal) return { environment, bundleId, ...refusal };
    const from = Number(new URLSearchParams(match[2]).get('paginationToken') ?? 0);
    return { environment, bundleId, page: this.#page({ ...asked, environment, bundleId, from }) };
  }

  /** The oldest first. */
  #page({ environment, bundleId, startDate, endDate, from }: Asked) {
    const asked = this.#all.filter(
      (one) =>
        one.environment === environment &&
        one.bundleId === bundleId &&
        one.signedAt.getTime() >= startDate &&
        one.signedAt.getTime() <= endDate,
    );
    const page = asked.slice(from, from + pageSize);
    const hasMore = from + pageSize < asked.length;
    return {
      notificationHistory: page.map(({ signedPayload }) => ({ signedPayload, sendAttempts: [] })),
      hasMore,
      ...(hasMore && { paginationToken: String(from + pageSize) }),
    };
  }
}

interface Asked {
  environment: FakeEnvironment;
  bundleId: string;
  startDate: number;
  endDate: number;
  from: number;
}
