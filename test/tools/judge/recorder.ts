// Opens and closes the record of each request.
import type { IncomingMessage } from 'node:http';
import type { JudgeClock } from './judgeClock.ts';
import type { Recorded } from './recording.ts';

export class Recorder {
  readonly requests: Recorded[] = [];
  readonly #clock: JudgeClock;
  readonly #bodies = new Map<string, Recorded>();

  constructor(clock: JudgeClock) {
    this.#clock = clock;
  }

  open(request: IncomingMessage, at: { scene: string; serverTime: number; round: number }): Recorded {
    const now = this.#clock.uptime();
    const recorded: Recorded = {
      ...{ index: this.requests.length, arrivedAt: now, endedAt: Infinity, ...at },
      ...{ method: request.method!, target: request.url!, operation: null, headers: pairsOf(request.rawHeaders) },
      ...{ body: '', json: null, signature: 'none' as const, faults: [] },
      ...{ response: { status: 0, headers: {}, body: null }, loss: null, stored: false },
    };
    this.requests.push(recorded);
    return recorded;
  }

  /** A retry shares the body of its first attempt, because a batch may have thousands of events. */
  noteBody(recorded: Recorded, { body, json }: Pick<Recorded, 'body' | 'json'>): void {
    const first = this.#bodies.get(body);
    if (!first) this.#bodies.set(body, recorded);
    Object.assign(recorded, first ? { body: first.body, json: first.json } : { body, json });
  }

  /** Without a whole response the client closed its connection first. */
  close(recorded: Recorded, finished: boolean): void {
    recorded.endedAt = this.#clock.uptime();
    if (!finished) recorded.loss ??= 'gone';
  }
}

function pairsOf(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]);
}
