// Sends one session report and acts on the status of each response: openapi.yaml, "Errors".
// It retries by openapi.yaml, "Retries", and signs again by openapi.yaml, "Signature of a session request".
import type { Exchange, ExchangeParts, Reply } from './exchange.ts';
import { signedHeaders } from './signedUpload.ts';
import { nextTimestamp, withTimestamp } from './timestampOrder.ts';
import type { NotAuthenticated, SessionReport } from './wire.ts';
import { wireBody, type WireBody } from './wireBody.ts';

export type Delivery =
  /** `timestamp` is the upload's `X-Timestamp`, `revision` the response's `X-Config-Revision`. */
  | { kind: 'acknowledged'; timestamp: number; revision: string | null }
  /** 413: the caller sends the batch in halves. */
  | { kind: 'too_large' }
  /** Another 4xx: the server never accepts this request. */
  | { kind: 'refused'; status: number; body: string }
  /** No response, 5xx at the last attempt, or one 403 twice: the device keeps everything for the next flush. */
  | { kind: 'unreachable' };

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

  /** Calls `makeReport` again after a correction of the clock, because the correction may have moved recorded times. */
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
      const cure = reply && cureOf(reply);
      if (cure && !healed.has(cure)) {
        healed.add(cure);
        onStep(cure);
        if (cure === 'clock_corrected') body = makeBody();
        request = this.#sign(body);
        continue;
      }
      if (reply?.status === 413) return { kind: 'too_large' };
      if (reply && !reply.failed && !cure) return { kind: 'refused', status: reply.status, body: reply.body };
      if (attempt >= settings.retry.attempts || cure) return { kind: 'unreachable' };
      await exchange.waitOut();
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

/** The two refusals that a new signature cures. Each is tried once for an upload. */
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
