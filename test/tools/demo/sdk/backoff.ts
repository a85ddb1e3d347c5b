// Holds the wait after failures, which all requests of the device share: openapi.yaml, "Backoff".

export interface RetryPolicy {
  /** The wait after the first failure. It doubles with each further failure in a row. */
  firstMillis: number;
  longestMillis: number;
  /** The attempts of one request in one flush. After the last one the data stays on the device until the next flush. */
  attempts: number;
}

export interface FailedAttempt {
  /** The number of failures in a row: 1 for the first. */
  attempt: number;
  /** A random number, uniform in [0, 1). */
  random: number;
  /** The wait that `Retry-After` of the response asks for; 0 without this header. */
  retryAfterMillis: number;
}

/** Doubles with each attempt. A random factor of 0.5 to 1.5 spreads the devices out. `Retry-After` is a lower bound. */
export function backoffMillis({ attempt, random, retryAfterMillis }: FailedAttempt, policy: RetryPolicy): number {
  const doubled = Math.min(policy.longestMillis, policy.firstMillis * 2 ** (attempt - 1));
  return Math.max(doubled * (0.5 + random), retryAfterMillis);
}

export interface BackoffParts {
  policy: RetryPolicy;
  environment: { uptime(): number; random(): number };
}

/** One for each process. A new flush neither shortens the wait nor begins again with the first one. */
export class Backoff {
  readonly #parts: BackoffParts;
  #failures = 0;
  #until = -Infinity;

  constructor(parts: BackoffParts) {
    this.#parts = parts;
  }

  /** Call it after a 5xx or a network failure. The failure of another request under way never shortens the wait. */
  noteFailure(retryAfterMillis: number): void {
    const { policy, environment } = this.#parts;
    this.#failures += 1;
    const failure = { attempt: this.#failures, random: environment.random(), retryAfterMillis };
    this.#until = Math.max(this.#until, environment.uptime() + backoffMillis(failure, policy));
  }

  /** Call it after any other response. */
  noteResponse(): void {
    this.#failures = 0;
    this.#until = -Infinity;
  }

  /** By the environment's `uptime`: no request starts before. */
  get until(): number {
    return this.#until;
  }

  /** 0 when a request may start now. */
  remainingMillis(): number {
    return Math.max(0, this.#until - this.#parts.environment.uptime());
  }
}

/**
 * Returns milliseconds. The header holds seconds or an HTTP date (RFC 9110, 10.2.3). The result is 0 when the header is
 * missing or is neither. `serverNow` is in Unix milliseconds.
 */
export function readRetryAfter(header: string | null, serverNow: number): number {
  if (header === null) return 0;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - serverNow);
}
