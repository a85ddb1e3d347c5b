// When to ask the store again (pure).
import type { Backoff } from '../platform/retryDelay.ts';

const day = 86_400_000;

/** Delays of 5 s, 10 s, 20 s, … up to 6 h. The attempts end after five days. */
export const defaultBackoff: Backoff = { firstMillis: 5_000, longestMillis: 6 * 3_600_000, attempts: 30 };

/** After refused credentials: likewise, up to an hour, without an end. */
export const refusedBackoff: Backoff = { firstMillis: 5_000, longestMillis: 3_600_000, attempts: Infinity };

/** So long the store is asked for a transaction that it does not know. */
export const notKnownForMillis = day;

/** Reads `Retry-After`: this store sends Unix milliseconds; seconds to wait and HTTP dates are read too. At most a day ahead. */
export function parseRetryAfter(header: string | null, now: Date): Date | null {
  if (header === null || header.trim() === '') return null;
  const number = Number(header);
  const at = Number.isNaN(number) ? Date.parse(header) : number > 1e11 ? number : now.getTime() + number * 1_000;
  if (Number.isNaN(at) || at <= now.getTime()) return null;
  return new Date(Math.min(at, now.getTime() + day));
}
