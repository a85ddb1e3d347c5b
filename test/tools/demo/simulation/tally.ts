// What the whole run counts, and how long it has been without a success.
import type { UploadStep } from '../sdk/uploader.ts';

export class ServiceGone extends Error {}

export class Tally {
  readonly patienceMillis: number;
  /** To the public API, fetches of the configuration included. */
  requests = 0;
  acknowledgedUploads = 0;
  duplicates = 0;
  steps: Record<UploadStep | 'halved', number> = { retried: 0, clock_corrected: 0, nonce_replaced: 0, halved: 0 };
  events = 0;
  devicesDone = 0;
  #lastAnswerAt = Date.now();
  #lastFailure = '';

  constructor(patienceMillis: number) {
    this.patienceMillis = patienceMillis;
  }

  noteSuccess(): void {
    this.#lastAnswerAt = Date.now();
    this.#lastFailure = '';
  }

  noteFailure(reason: string): void {
    this.#lastFailure = reason;
  }

  /** Null while the service answers, else since when it does not, in milliseconds. */
  awayForMillis(): number | null {
    return this.#lastFailure === '' ? null : Date.now() - this.#lastAnswerAt;
  }

  /** Throws when no upload was taken for longer than the patience. */
  checkPatience(): void {
    const away = this.awayForMillis() ?? 0;
    if (away < this.patienceMillis) return;
    throw new ServiceGone(
      `The service took no upload for ${Math.round(away / 1_000)} s (last: ${this.#lastFailure}). Giving up.`,
    );
  }
}
