// The parser of PromQL finds the selectors of an expression, and refuses what Prometheus would refuse.
import { selectorsOf } from '../support/promql.ts';

test('selectors are found with labels and function', () => {
  const expression =
    'histogram_quantile(0.99, sum by (le, a) (rate(x_bucket{a="b", c="d"}[5m]))) > 1 or (min(y) - 2) == 0';
  expect(selectorsOf(expression)).toEqual([
    { name: 'x_bucket', labels: { a: 'b', c: 'd' }, range: true, within: 'rate' },
    { name: 'y', labels: {}, range: false, within: null },
  ]);
});

test.each([
  'sum(rate(x[5m])',
  'rate(x) > 1',
  'x[5m] > 1',
  'sum by (le (x)',
  'sum(x) > ',
  'x{a=b}',
  'x{a="b"',
  'x y',
  'x > 1 |',
  'histogram_quantile(x)',
  '',
])('%s is refused', (expression) => {
  expect(() => selectorsOf(expression)).toThrow();
});
