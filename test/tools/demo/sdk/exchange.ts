// Sends one request and corrects the clock from its response: openapi.yaml, "Clock correction".
// A missing response is a network failure, which the caller retries: openapi.yaml, "Retries".
import { readRetryAfter, type Backoff } from './backoff.ts';
import type { DeviceClock, TimedResponse } from './deviceClock.ts';
import type { DeviceStore } from './deviceStore.ts';
import type { SdkEnvironment } from './environment.ts';
import { restamp } from './restamp.ts';
import type { Credentials, SdkSettings } from './settings.ts';
import { plausibleTimestamps } from './timestampOrder.ts';
import type { NotAuthenticated } from './wire.ts';

export interface ExchangeParts {
  credentials: Credentials;
  settings: SdkSettings;
  environment: SdkEnvironment;
  clock: DeviceClock;
  store: DeviceStore;
  backoff: Backoff;
}

export interface Reply {
  status: number;
  body: string;
  headers: Headers;
  clockCorrected: boolean;
  /** A 5xx, or a status of a request that was cut off: openapi.yaml, "Retries". */
  failed: boolean;
}

/** 400 and 408 have no body: the request did not arrive whole. 429 can only be a proxy's. */
const cutOff = new Set([400, 408, 429]);

/** The two refusals of a 403 that a new signature cures: openapi.yaml, "Signature of a session request". */
export type Curable = Extract<NotAuthenticated['reason'], 'timestamp_out_of_window' | 'nonce_reused'>;

export class Exchange {
  readonly #parts: ExchangeParts;
  #refused = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Whether the server refuses these keys or this client: no request of this process goes any more. */
  get refused(): boolean {
    return this.#refused;
  }

  /**
   * Null without a whole response. The server may or may not have stored the request then. Such a response corrects no
   * clock, because nobody knows when its end would have come. That of a 5xx does.
   */
  async send(path: string, init: RequestInit): Promise<Reply | null> {
    const reply = await this.#request(path, init);
    const { backoff, clock } = this.#parts;
    this.#refused ||= reply !== null && isFinalRefusal(reply);
    if (reply && !reply.failed) backoff.noteResponse();
    else backoff.noteFailure(reply ? readRetryAfter(reply.headers.get('retry-after'), clock.now()) : 0);
    return reply;
  }

  /** Another request may fail during the sleep, and make the wait longer. */
  async waitOut(): Promise<void> {
    const { backoff, environment } = this.#parts;
    let until: number;
    do {
      until = backoff.until;
      await environment.sleep(backoff.remainingMillis());
    } while (backoff.until > until);
  }

  async #request(path: string, init: RequestInit): Promise<Reply | null> {
    const { credentials, settings, environment } = this.#parts;
    const sentAt = environment.now();
    try {
      const response = await environment.fetch(`${credentials.baseUrl}${path}`, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(settings.requestTimeoutMillis),
      });
      const { status, headers } = response;
      const body = await response.text();
      const timed = { date: headers.get('date'), sentAt, receivedAt: environment.now() };
      const failed = status >= 500 || cutOff.has(status);
      return { status, body, headers, failed, clockCorrected: this.#correctClock(timed) };
    } catch {
      return null;
    }
  }

  #correctClock(response: TimedResponse): boolean {
    const { clock, store } = this.#parts;
    const { clockKnown: wasKnown, clockOffsetMillis: before } = store;
    if (!clock.correct(response)) return false;
    if (!wasKnown) restamp(store, store.clockOffsetMillis - before);
    store.sentTimestamps = plausibleTimestamps(store.sentTimestamps, clock.now() / 1_000);
    return true;
  }
}

/** Null for every other response. */
export function curableReason({ status, body }: Reply): Curable | null {
  const reason = status === 403 ? readReason(body) : null;
  return reason === 'timestamp_out_of_window' || reason === 'nonce_reused' ? reason : null;
}

/** 413 and 422 concern the content of one request. Every other 4xx would meet the next request too. */
function isFinalRefusal(reply: Reply): boolean {
  const { status, failed } = reply;
  return status >= 400 && !failed && status !== 413 && status !== 422 && curableReason(reply) === null;
}

function readReason(body: string): NotAuthenticated['reason'] | null {
  try {
    return (JSON.parse(body) as Partial<NotAuthenticated> | null)?.reason ?? null;
  } catch {
    return null;
  }
}
