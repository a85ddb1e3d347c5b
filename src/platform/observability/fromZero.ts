// Counters with known labels, set to zero at the start.
import type { Counter } from 'prom-client';

/** Creates each series at the start: Prometheus sees an increase only of a series that already exists. */
export function fromZero<Label extends string>(counter: Counter<Label>, label: Label, values: readonly string[]): void {
  for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0);
}
