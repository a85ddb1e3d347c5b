// Counters whose labels are known beforehand.
import type { Counter } from 'prom-client';

/** There from the start: Prometheus sees an increase only of what was there before. */
export function fromZero<Label extends string>(counter: Counter<Label>, label: Label, values: readonly string[]): void {
  for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0);
}
