// When to ask the store again: pure.

const day = 86_400_000;

export const defaultBackoff = { firstMillis: 5_000, longestMillis: 6 * 3_600_000, attempts: 30 };

/**
 * 5 s, 10 s, 20 s, … up to 6 h, each a quarter shorter or longer by `random` (0…1); null when the attempts are used up,
 * which is after five days.
 */
export function retryDelay(attempt: number, random: number, backoff = defaultBackoff): number | null {
  if (attempt >= backoff.attempts) return null;
  const delay = Math.min(backoff.longestMillis, backoff.firstMillis * 2 ** (attempt - 1));
  return Math.round(delay * (0.75 + random / 2));
}

/** This store writes UNIX milliseconds; seconds to wait and HTTP dates are understood too. At most a day ahead. */
export function parseRetryAfter(header: string | null, now: Date): Date | null {
  if (header === null || header.trim() === '') return null;
  const number = Number(header);
  const at = Number.isNaN(number) ? Date.parse(header) : number > 1e11 ? number : now.getTime() + number * 1_000;
  if (Number.isNaN(at) || at <= now.getTime()) return null;
  return new Date(Math.min(at, now.getTime() + day));
}
