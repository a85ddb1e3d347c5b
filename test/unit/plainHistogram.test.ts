// Histograms of plain numbers must print the same text as prom-client's own for the same values.
import { Histogram, Registry } from 'prom-client';
import { plainHistogram } from '../../src/platform/observability/plainHistogram.ts';

test('the text is that of a histogram of prom-client', async () => {
  const values = [-1, 0, 0.1, 0.100_000_1, 0.25, 2.5, 2.500_1, 7, 1e9];
  const described = { name: 'waits_seconds', help: 'Of waits.', labelNames: ['door'], buckets: [0.1, 0.25, 2.5] };
  const [theirs, ours] = [new Registry(), new Registry()];
  const expected = new Histogram({ ...described, registers: [theirs] });
  const labelled = plainHistogram({ ...described, registers: [ours] });
  for (const door of ['front', 'back "two"']) {
    const observe = labelled({ door });
    for (const value of values) {
      expected.observe({ door }, value);
      observe(value);
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('without labels, and before the first value', async () => {
  const described = { name: 'sizes', help: 'Of sizes.', buckets: [1, 2] };
  const [theirs, ours] = [new Registry(), new Registry()];
  new Histogram({ ...described, registers: [theirs] });
  plainHistogram({ ...described, registers: [ours] })({});
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
