// The counters of the whole run, and the time since the last success of the service.
import type { UploadStep } from '../sdk/uploader.ts';

export class ServiceGone extends Error {}

export class Tally {
  readonly patienceMillis: number;
  /** Requests to the public API, fetches of the configuration included. */
  requests = 0;
  acknowledgedUploads = 0;
  duplicates = 0;
  steps: Record<UploadStep | 'halved' | 'taken_out', number> = {
    retried: 0,
    clock_corrected: 0,
    nonce_replaced: 0,
    halved: 0,
    taken_out: 0,
  };
  events = 0;
  devicesDone = 0;
  #lastResponseAt = Date.now();
  #lastFailure = '';

  constructor(patienceMillis: number) {
    this.patienceMillis = patienceMillis;
  }

  noteSuccess(): void {
    this.#lastResponseAt = Date.now();
    this.#lastFailure = '';
  }

  noteFailure(reason: string): void {
    this.#lastFailure = reason;
  }

  /** The milliseconds since the last success; null while requests succeed. */
  awayForMillis(): number | null {
    return this.#lastFailure === '' ? null : Date.now() - this.#lastResponseAt;
  }

  /** Throws when no request has succeeded for `patienceMillis`. */
  checkPatience(): void {
    const away = this.awayForMillis() ?? 0;
    if (away < this.patienceMillis) return;
    throw new ServiceGone(
      `No request succeeded for ${Math.round(away / 1_000)} s (last failure: ${this.#lastFailure}). Giving up.`,
    );
  }
}
