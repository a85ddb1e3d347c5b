// Brings one report to the server: signs, sends, heals what can be healed, retries what may be retried, and says how it ended.
import { backoffMillis, readRetryAfter } from './backoff.ts';
import type { DeviceClock } from './deviceClock.ts';
import type { DeviceStore } from './deviceStore.ts';
import type { SdkEnvironment } from './environment.ts';
import type { Credentials, SdkSettings } from './settings.ts';
import { signedHeaders, wireBody, type WireBody } from './signedUpload.ts';
import { nextTimestamp, plausibleTimestamps, withTimestamp } from './timestampOrder.ts';
import type { NotAuthenticated, SessionReport } from './wire.ts';

export type Delivery =
  /** `timestamp` is the upload's `X-Timestamp`. */
  | { kind: 'acknowledged'; timestamp: number }
  /** 413: send it in halves. */
  | { kind: 'too_large' }
  /** Another 4xx: the same request will never be accepted. */
  | { kind: 'refused'; status: number; body: string }
  /** No answer, or 5xx to the last attempt: keep everything and come back later. */
  | { kind: 'unreachable' };

/** What happens on the way, for logs and counters. */
export type UploadStep = 'retried' | 'clock_corrected' | 'nonce_replaced';

export interface UploaderParts {
  credentials: Credentials;
  settings: SdkSettings;
  environment: SdkEnvironment;
  clock: DeviceClock;
  store: DeviceStore;
  onStep(step: UploadStep): void;
}

/** `X-Timestamp` must be within 300 s of server time: an older signature is not sent again. */
const signatureGoodForSeconds = 120;

interface SignedRequest {
  timestamp: number;
  headers: Record<string, string>;
  body: WireBody;
}

interface Reply {
  status: number;
  body: string;
  retryAfterMillis: number;
  clockCorrected: boolean;
}

export class Uploader {
  readonly #parts: UploaderParts;

  constructor(parts: UploaderParts) {
    this.#parts = parts;
  }

  async deliver(report: SessionReport): Promise<Delivery> {
    const { settings, environment, onStep } = this.#parts;
    const body = wireBody(report, settings.gzipAboveBytes);
    const healed = new Set<UploadStep>();
    let request = this.#sign(body);
    for (let attempt = 1; ;) {
      const reply = await this.#exchange(request);
      if (reply && reply.status < 300) return { kind: 'acknowledged', timestamp: request.timestamp };
      const cure = reply && cureOf(reply);
      if (cure && !healed.has(cure)) {
        healed.add(cure);
        onStep(cure);
        request = this.#sign(body);
        continue;
      }
      if (reply?.status === 413) return { kind: 'too_large' };
      if (reply && reply.status < 500 && !cure) return { kind: 'refused', status: reply.status, body: reply.body };
      if (attempt >= settings.retry.attempts || cure) return { kind: 'unreachable' };
      const failure = { attempt, random: environment.random(), retryAfterMillis: reply?.retryAfterMillis ?? 0 };
      await environment.sleep(backoffMillis(failure, settings.retry));
      attempt += 1;
      onStep('retried');
      if (this.#isStale(request)) request = this.#sign(body);
    }
  }

  #sign(body: WireBody): SignedRequest {
    const { clock, store, environment, credentials } = this.#parts;
    const timestamp = nextTimestamp(clock.now() / 1_000, store.sentTimestamps);
    const stamp = { timestamp, nonce: environment.randomBytes(16) };
    return { timestamp, headers: signedHeaders(body, stamp, credentials), body };
  }

  /** Until then a retry is the same bytes with the same nonce, which the server answers 200 if it has them already. */
  #isStale({ timestamp }: SignedRequest): boolean {
    return Math.abs(this.#parts.clock.now() / 1_000 - timestamp) > signatureGoodForSeconds;
  }

  /** Null when there was no whole answer; the upload may or may not have been stored then. */
  async #exchange({ timestamp, headers, body }: SignedRequest): Promise<Reply | null> {
    const { credentials, settings, environment, clock, store } = this.#parts;
    const sentAt = environment.now();
    store.sentTimestamps = withTimestamp(store.sentTimestamps, timestamp);
    try {
      const response = await environment.fetch(`${credentials.baseUrl}/api/v1/session`, {
        method: 'POST',
        headers,
        body: body.bytes,
        redirect: 'error',
        signal: AbortSignal.timeout(settings.requestTimeoutMillis),
      });
      const text = await response.text();
      const date = response.headers.get('date');
      const clockCorrected = clock.correct({ date, sentAt, receivedAt: environment.now() });
      if (clockCorrected) store.sentTimestamps = plausibleTimestamps(store.sentTimestamps, clock.now() / 1_000);
      const retryAfterMillis = readRetryAfter(response.headers.get('retry-after'), clock.now());
      return { status: response.status, body: text, retryAfterMillis, clockCorrected };
    } catch {
      return null;
    }
  }
}

/** The two refusals that a new signature heals; it is tried once each. */
function cureOf({ status, body, clockCorrected }: Reply): UploadStep | null {
  if (status !== 403) return null;
  const reason = readReason(body);
  if (reason === 'timestamp_out_of_window' && clockCorrected) return 'clock_corrected';
  return reason === 'nonce_reused' ? 'nonce_replaced' : null;
}

function readReason(body: string): NotAuthenticated['reason'] | null {
  try {
    return (JSON.parse(body) as Partial<NotAuthenticated>).reason ?? null;
  } catch {
    return null;
  }
}
