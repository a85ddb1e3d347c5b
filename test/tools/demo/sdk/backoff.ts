// Computes the wait before a retry of a request: openapi.yaml, "Retries".

export interface RetryPolicy {
  /** The wait before the second attempt. It doubles before each further attempt. */
  firstMillis: number;
  longestMillis: number;
  /** The attempts of one request in one flush. After the last one the data stays on the device until the next flush. */
  attempts: number;
}

export interface FailedAttempt {
  /** The number of the failed attempt: 1 for the first. */
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
