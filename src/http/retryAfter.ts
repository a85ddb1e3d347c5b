// Chooses `Retry-After` of each 503 of one operation from what became of its last requests (openapi.yaml, "Backoff").

/** The longest wait before the spread, with which it is 300 at most. */
const longestSeconds = 200;
const windowSeconds = 10;
/** While nothing has been taken for longer, the database is away: then the length of the outage says how long to wait. */
const outageMillis = 1_000;
/** Times the length of the outage. With 1, an outage of a minute ends in twice the usual requests (docs/decisions/retry-after.md). */
const outageTimes = 1.5;
/** A few refused requests are no flood, whatever their share: these count as taken besides. */
const alwaysTaken = 100;

export interface RetryAfterParts {
  /** Milliseconds of a clock that nobody sets. */
  uptime(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

const ofProcess: RetryAfterParts = { uptime: () => performance.now(), random: Math.random };

/**
 * The square of the share keeps a short trouble short: 1 s of refusals in the last 10 s is 2 s, 5 s of them are 50 s.
 * After an outage the devices that came during it come back about as fast as they came.
 */
export class RetryAfter {
  readonly #parts: RetryAfterParts;
  readonly #taken = new LastSeconds();
  readonly #refused = new LastSeconds();
  /** Refused since the last request that was taken, and since when. */
  #untaken = 0;
  #untakenSince = 0;

  constructor(parts: RetryAfterParts = ofProcess) {
    this.#parts = parts;
  }

  /** Call it when a request has been served. */
  noteTaken(): void {
    const now = this.#parts.uptime();
    if (this.#untaken > 0) {
      // The refusals of an outage say nothing of the load.
      if (now - this.#untakenSince < outageMillis) this.#refused.add(this.#untaken, now);
      this.#untaken = 0;
    }
    this.#taken.add(1, now);
  }

  /** Counts a refusal, and returns its `Retry-After`: whole seconds from 1 to 300. */
  refuse(): number {
    const now = this.#parts.uptime();
    if (this.#untaken === 0) this.#untakenSince = now;
    this.#untaken += 1;
    const refused = this.#refused.sum(now);
    const share = refused / (this.#taken.sum(now) + refused + alwaysTaken);
    const ofOutage = (outageTimes * (now - this.#untakenSince)) / 1_000;
    const wait = Math.min(longestSeconds, Math.max(1, longestSeconds * share ** 2, ofOutage));
    return Math.max(1, Math.round(wait * (0.5 + this.#parts.random())));
  }
}

/** Counts what came in each of the last seconds: a few additions, because a refusal must be cheap. */
class LastSeconds {
  readonly #counts = new Array<number>(windowSeconds).fill(0);
  #second = 0;
  #sum = 0;

  add(count: number, now: number): void {
    this.#moveTo(now);
    this.#counts[this.#second % windowSeconds]! += count;
    this.#sum += count;
  }

  sum(now: number): number {
    this.#moveTo(now);
    return this.#sum;
  }

  #moveTo(now: number): void {
    const second = Math.floor(now / 1_000);
    const passed = Math.min(second - this.#second, windowSeconds);
    for (let step = 0; step < passed; step++) {
      const place = (second - step) % windowSeconds;
      this.#sum -= this.#counts[place]!;
      this.#counts[place] = 0;
    }
    this.#second = second;
  }
}
