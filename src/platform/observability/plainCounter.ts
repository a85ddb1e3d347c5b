// Counters for events that happen thousands of times a second: plain numbers, given to prom-client when the metrics are read.
import { Counter, type CounterConfiguration } from 'prom-client';

/** `count` must be at least 0. prom-client would report a negative one only when the metrics are read. */
export type Add = (count: number) => void;

/** Gives the adding function for labels. prom-client makes a text of the labels at each addition. */
export function plainCounter<Label extends string>(
  configuration: Omit<CounterConfiguration<Label>, 'collect'>,
): (labels: Record<Label, string>) => Add {
  const children: { labels: Record<Label, string>; added: number }[] = [];
  new Counter({
    ...configuration,
    collect() {
      for (const child of children) {
        this.inc(child.labels, child.added);
        child.added = 0;
      }
    },
  });
  return (labels) => {
    const child = { labels, added: 0 };
    children.push(child);
    return (count) => void (child.added += count);
  };
}
