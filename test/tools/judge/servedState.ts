// What the scripted server remembers: its clock, the nonces, and the revision of the configuration.
import type { IncomingMessage } from 'node:http';
import { successResponse, type PublicResponse } from '../../../src/http/responses.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { configurationOf, tagOf } from './configuration.ts';
import type { JudgeClock } from './judgeClock.ts';
import { header, type Recorded } from './recording.ts';

const twoHours = 2 * 3_600_000;

export class ServedState {
  readonly #clock: JudgeClock;
  readonly #nonces = new Map<string, Buffer>();
  /** The clock is two hours slow from the start, so a device with the right time is wrong. */
  #offset = -twoHours;
  #revision = 1;

  constructor(clock: JudgeClock) {
    this.#clock = clock;
  }

  serverTime(): number {
    return this.#clock.now() + this.#offset;
  }

  moveClockBack(): void {
    this.#offset -= twoHours;
  }

  changeRevision(): void {
    this.#revision += 1;
  }

  nonceRefusal(recorded: Recorded, bytes: Buffer): AppError | null {
    const known = this.#nonces.get(header(recorded, 'x-nonce') ?? '');
    if (recorded.operation !== 'reportSessions' || !known || known.equals(bytes)) return null;
    const serverTime = Math.floor(recorded.serverTime / 1_000);
    return new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
  }

  /** The response of an accepted request. */
  serve(recorded: Recorded, request: IncomingMessage, bytes: Buffer): PublicResponse {
    recorded.stored = true;
    const revision = `r-${this.#revision}`;
    if (recorded.operation === 'getCampaigns') {
      const body = configurationOf(revision, recorded.serverTime) as Record<string, unknown>;
      return successResponse({ body, headers: { ETag: tagOf(revision, recorded.target) } }, request);
    }
    if (recorded.operation !== 'reportSessions') return { status: 200, body: {} };
    this.#nonces.set(header(recorded, 'x-nonce')!, bytes);
    return { status: 200, body: {}, headers: { 'X-Config-Revision': revision } };
  }
}
