// How long to wait before something outside is tried again: pure.

export interface Backoff {
  firstMillis: number;
  longestMillis: number;
  attempts: number;
}

/**
 * The first delay, twice that, four times, … up to the longest, each a quarter shorter or longer by `random` (0…1); null
 * when the attempts are used up. `attempt` counts from 1.
 */
export function retryDelay(
  attempt: number,
  random: number,
  { firstMillis, longestMillis, attempts }: Backoff,
): number | null {
  if (attempt >= attempts) return null;
  const delay = Math.min(longestMillis, firstMillis * 2 ** (attempt - 1));
  return Math.round(delay * (0.75 + random / 2));
}
