// Days in UTC as numbers, for the devices' counts: every one of them has 24 hours.

const dayMillis = 86_400_000;

/** Whole days since 1970. */
export function dayOf(millis: number): number {
  return Math.floor(millis / dayMillis);
}

/** `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day * dayMillis).toISOString().slice(0, 10);
}

export interface Range {
  first: number;
  last: number;
}

/** A day more at both ends, so that nothing else may be there. */
export function rangeOf(times: number[]): Range {
  const [first, last] = times.reduce(
    ([low, high], time) => [Math.min(low, dayOf(time)), Math.max(high, dayOf(time))],
    [Infinity, -Infinity],
  );
  return Number.isFinite(first)
    ? { first: first - 1, last: last + 1 }
    : { first: dayOf(Date.now()), last: dayOf(Date.now()) };
}

export function daysOf({ first, last }: Range): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
