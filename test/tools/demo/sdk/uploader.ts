// Sends one session report and acts on the status of each response: openapi.yaml, "Errors".
// It retries by openapi.yaml, "Retries", and signs again by openapi.yaml, "Signature of a session request".
import { curableReason, type Exchange, type ExchangeParts, type Reply } from './exchange.ts';
import { signedHeaders } from './signedUpload.ts';
import { nextTimestamp, withTimestamp } from './timestampOrder.ts';
import type { SessionReport } from './wire.ts';
import { wireBody, type WireBody } from './wireBody.ts';

export type Delivery =
  /** `timestamp` is the upload's `X-Timestamp`, `revision` the response's `X-Config-Revision`. */
  | { kind: 'acknowledged'; timestamp: number; revision: string | null }
  /** 413: the caller sends the batch in halves. */
  | { kind: 'too_large' }
  /** Another 4xx: the server never accepts this request. */
  | { kind: 'refused'; status: number; body: string }
  /** No response or 5xx at the last attempt: the device keeps everything for the next flush. */
  | { kind: 'unreachable' }
  /** A 403 that the new signature did not cure: the sessions wait for the next flush, and other requests go on. */
  | { kind: 'postponed' };

/** The steps between the first attempt and the delivery, for logs and counters. */
export type UploadStep = 'retried' | 'clock_corrected' | 'nonce_replaced';

export interface UploaderParts extends ExchangeParts {
  exchange: Exchange;
  onStep(step: UploadStep): void;
}

/** The server knows a nonce for 15 minutes. A new signature also gives the state of the upload its present time. */
const signatureGoodForSeconds = 120;

interface SignedRequest {
  timestamp: number;
  headers: Record<string, string>;
  body: WireBody;
}

export class Uploader {
  readonly #parts: UploaderParts;

  constructor(parts: UploaderParts) {
    this.#parts = parts;
  }

  /**
   * Calls `makeReport` again after a correction of the clock, because the correction may have moved recorded times. Every
   * other new signature is for the same body. A refusal that a new signature cures is no failure, so it is none of the
   * attempts.
   */
  async deliver(makeReport: () => SessionReport): Promise<Delivery> {
    const { settings, exchange, onStep } = this.#parts;
    const makeBody = (): WireBody => wireBody(JSON.stringify(makeReport()), settings.gzipAboveBytes);
    let body = makeBody();
    const healed = new Set<UploadStep>();
    let request = this.#sign(body);
    for (let attempt = 1; ;) {
      const reply = await this.#exchange(request);
      if (reply && reply.status < 300) {
        const revision = reply.headers.get('x-config-revision');
        return { kind: 'acknowledged', timestamp: request.timestamp, revision };
      }
      if (reply && curableReason(reply)) {
        const cure = cureOf(reply);
        if (!cure || healed.has(cure)) return { kind: 'postponed' };
        healed.add(cure);
        onStep(cure);
        if (cure === 'clock_corrected') body = makeBody();
        request = this.#sign(body);
        continue;
      }
      if (reply?.status === 413) return { kind: 'too_large' };
      if (reply && !reply.failed) return { kind: 'refused', status: reply.status, body: reply.body };
      if (attempt >= settings.retry.attempts) return { kind: 'unreachable' };
      await exchange.waitOut();
      attempt += 1;
      onStep('retried');
      if (this.#isStale(request)) request = this.#sign(body);
    }
  }

  /** Whether the server refuses this client altogether. */
  get refused(): boolean {
    return this.#parts.exchange.refused;
  }

  #sign(body: WireBody): SignedRequest {
    const { clock, store, environment, credentials } = this.#parts;
    const timestamp = nextTimestamp(clock.now() / 1_000, store.sentTimestamps);
    const stamp = { timestamp, nonce: environment.randomBytes(16) };
    return { timestamp, headers: signedHeaders(body, stamp, credentials), body };
  }

  /** Until then a retry has the same bytes and nonce. The server responds 200 when it has stored them already. */
  #isStale({ timestamp }: SignedRequest): boolean {
    return Math.abs(this.#parts.clock.now() / 1_000 - timestamp) > signatureGoodForSeconds;
  }

  #exchange({ timestamp, headers, body }: SignedRequest): Promise<Reply | null> {
    const { exchange, store } = this.#parts;
    store.sentTimestamps = withTimestamp(store.sentTimestamps, timestamp);
    return exchange.send('/api/v1/session', { method: 'POST', headers, body: body.bytes });
  }
}

/** Each is tried once for an upload. Null without a readable `Date`: the new signature would have the same time. */
function cureOf(reply: Reply): UploadStep | null {
  if (curableReason(reply) === 'nonce_reused') return 'nonce_replaced';
  return reply.clockCorrected ? 'clock_corrected' : null;
}
