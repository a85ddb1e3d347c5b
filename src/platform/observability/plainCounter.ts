// Counters of what happens thousands of times a second: plain numbers, handed to prom-client when the metrics are read.
import { Counter, type CounterConfiguration } from 'prom-client';

/** `count` is at least 0: prom-client would not say so before the metrics are read. */
export type Add = (count: number) => void;

/** Gives for labels what adds to them. prom-client itself makes a text of the labels for each addition, known or not. */
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
