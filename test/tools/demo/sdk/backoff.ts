// How long to wait before an upload is tried again (contract, "Retries").

export interface RetryPolicy {
  /** Before the second attempt; doubled before each further one. */
  firstMillis: number;
  longestMillis: number;
  /** Of one upload within one flush; after them the events wait on the device for the next flush. */
  attempts: number;
}

export interface FailedAttempt {
  /** 1 for the first. */
  attempt: number;
  /** Uniform in [0, 1). */
  random: number;
  /** Of the answer's `Retry-After`; 0 when there was none. */
  retryAfterMillis: number;
}

/** Doubled from attempt to attempt, times 0.5 to 1.5 so that devices spread out, and never less than the server asked for. */
export function backoffMillis({ attempt, random, retryAfterMillis }: FailedAttempt, policy: RetryPolicy): number {
  const doubled = Math.min(policy.longestMillis, policy.firstMillis * 2 ** (attempt - 1));
  return Math.max(doubled * (0.5 + random), retryAfterMillis);
}

/** Seconds or an HTTP date, as HTTP allows; 0 when the header is missing or is neither. `serverNow` in Unix milliseconds. */
export function readRetryAfter(header: string | null, serverNow: number): number {
  if (header === null) return 0;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - serverNow);
}
