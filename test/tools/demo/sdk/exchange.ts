// Sends one request and corrects the clock from its response: openapi.yaml, "Clock correction".
// A missing response is a network failure, which the caller retries: openapi.yaml, "Retries".
import { readRetryAfter } from './backoff.ts';
import type { DeviceClock } from './deviceClock.ts';
import type { DeviceStore } from './deviceStore.ts';
import type { SdkEnvironment } from './environment.ts';
import type { Credentials, SdkSettings } from './settings.ts';
import { plausibleTimestamps } from './timestampOrder.ts';

export interface ExchangeParts {
  credentials: Credentials;
  settings: SdkSettings;
  environment: SdkEnvironment;
  clock: DeviceClock;
  store: DeviceStore;
}

export interface Reply {
  status: number;
  body: string;
  headers: Headers;
  retryAfterMillis: number;
  clockCorrected: boolean;
}

export class Exchange {
  readonly #parts: ExchangeParts;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Null without a whole response. The server may or may not have stored the request then. */
  async send(path: string, init: RequestInit): Promise<Reply | null> {
    const { credentials, settings, environment, clock, store } = this.#parts;
    const sentAt = environment.now();
    try {
      const response = await environment.fetch(`${credentials.baseUrl}${path}`, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(settings.requestTimeoutMillis),
      });
      const { status, headers } = response;
      const body = await response.text();
      const clockCorrected = clock.correct({ date: headers.get('date'), sentAt, receivedAt: environment.now() });
      if (clockCorrected) store.sentTimestamps = plausibleTimestamps(store.sentTimestamps, clock.now() / 1_000);
      const retryAfterMillis = readRetryAfter(headers.get('retry-after'), clock.now());
      return { status, body, headers, retryAfterMillis, clockCorrected };
    } catch {
      return null;
    }
  }
}
