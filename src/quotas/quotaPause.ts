// The `Retry-After` of a request that a quota refuses: an hour, spread at random (openapi.yaml, "Quotas").

/** Seconds, from 1,800 to 5,400: without the spread all refused devices would come back in one minute. */
export function quotaPauseSeconds(random: () => number = Math.random): number {
  return Math.round(3_600 * (0.5 + random()));
}
