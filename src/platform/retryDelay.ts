// The delay before a retry of a call to another system (pure).

export interface Backoff {
  firstMillis: number;
  longestMillis: number;
  attempts: number;
}

/**
 * The first delay, doubled at each attempt up to the longest. `random` (0 to 1) makes each delay up to a quarter shorter or
 * longer. Null when no attempt is left. `attempt` counts from 1.
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
