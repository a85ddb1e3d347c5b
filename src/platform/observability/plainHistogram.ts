// Histograms for events that happen thousands of times a second: plain numbers until the metrics are read.
import type { Histogram, Registry } from 'prom-client';

/** `value` must be a finite number. */
export type Observe = (value: number) => void;

interface Configuration<Label extends string> {
  name: string;
  help: string;
  labelNames?: readonly Label[];
  /** Upper bounds in ascending order. The bucket without a bound is added. */
  buckets: readonly number[];
  registers: Registry[];
}

interface Child {
  labels: Record<string, string>;
  /** One count more than bounds. */
  counts: number[];
  sum: number;
}

/**
 * Returns the function that records a value with these labels. Call it once for each set of labels. prom-client's own
 * function makes texts of the labels and of the bucket for each value, 2 µs of an upload's 150
 * (docs/decisions/upload-reading.md).
 */
export function plainHistogram<Label extends string>(
  configuration: Configuration<Label>,
): (labels: Record<Label, string>) => Observe {
  const { name, help, buckets, registers } = configuration;
  const children: Child[] = [];
  const head = { name, help, type: 'histogram', aggregator: 'sum' };
  const get = () => Promise.resolve({ ...head, values: children.flatMap((child) => exported(name, buckets, child)) });
  // The members that a registry uses. Its types accept only prom-client's own classes.
  for (const registry of registers) registry.registerMetric({ ...head, get } as unknown as Histogram);
  return (labels) => {
    const child = { labels, counts: Array<number>(buckets.length + 1).fill(0), sum: 0 };
    children.push(child);
    return (value) => {
      let at = 0;
      while (at < buckets.length && value > buckets[at]!) at++;
      child.counts[at]! += 1;
      child.sum += value;
    };
  };
}

/** Cumulative buckets, as Prometheus wants them. */
function exported(name: string, buckets: readonly number[], { labels, counts, sum }: Child) {
  let count = 0;
  const bounded = [...buckets, '+Inf'].map((le, at) => {
    count += counts[at]!;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...bounded,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
