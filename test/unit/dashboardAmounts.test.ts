// The dashboard's sums of exact amounts, and how it writes amounts and other figures.
import fc from 'fast-check';
import {
  change,
  count,
  digitsOf,
  duration,
  minus,
  money,
  percent,
  rounded,
  sumOf,
} from '../../src/dashboard/parts/figures.ts';

test.each<[string[], string]>([
  [[], '0'],
  [['9.99', '0.01'], '10.00'],
  [['0.1', '0.2'], '0.3'],
  [['1200', '0.5'], '1200.5'],
  [['-0.05', '0.02'], '-0.03'],
  [['9007199254740993.01', '0.01'], '9007199254740993.02'],
])('the sum of %j is %s', (amounts, sum) => {
  expect(sumOf(amounts)).toBe(sum);
});

test.each([
  ['82.94', '29.995', '52.945'],
  ['0', '9.99', '-9.99'],
  ['5', '5', '0'],
  ['1.5', '-1.5', '3.0'],
  ['-1', '0.25', '-1.25'],
])('%s minus %s is %s', (amount, less, rest) => {
  expect(minus(amount, less)).toBe(rest);
});

test.each([
  ['29.995', 2, '30.00'],
  ['72.925', 2, '72.93'],
  ['-29.995', 2, '-30.00'],
  ['4.994', 2, '4.99'],
  ['0.004', 2, '0.00'],
  ['0.5', 0, '1'],
  ['9007199254740993.005', 2, '9007199254740993.01'],
  ['10', 2, '10'],
])('%s in %i digits is %s', (amount, places, text) => {
  expect(rounded(amount, places)).toBe(text);
});

test('a currency has its own digits', () => {
  expect(['EUR', 'JPY', 'KWD', 'points'].map(digitsOf)).toEqual([2, 0, 3, 2]);
});

test('what is taken away and put back leaves the amount, of any size and with any digits', () => {
  const amount = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.stringMatching(/^\d{0,4}$/))
    .map(([whole, fraction]) => `${whole}${fraction === '' ? '' : `.${fraction}`}`);
  fc.assert(
    fc.property(amount, amount, (one, other) => {
      expect(minus(minus(sumOf([one, other]), other), one)).toMatch(/^0(\.0+)?$/);
    }),
  );
});

test.each([
  ['9.99', 'EUR', '€9.99'],
  // Half of 59.99: no digit is lost.
  ['29.995', 'EUR', '€29.995'],
  ['10', 'EUR', '€10.00'],
  ['1200', 'JPY', '¥1,200'],
  ['9007199254740993.01', 'USD', '$9,007,199,254,740,993.01'],
  ['-3.5', 'EUR', '-€3.50'],
  ['3', 'points', '3 points'],
])('%s of %s is written %s', (amount, currency, text) => {
  expect(money(amount, currency)).toBe(text);
});

test.each([
  [null, '—'],
  [0, '0 %'],
  [0.0003, '< 0.1 %'],
  [0.9996, '> 99.9 %'],
  [1, '100 %'],
  [1 / 3, '33.3 %'],
])('a part of %s is %s', (part, text) => {
  expect(percent(part)).toBe(text);
});

test('counts keep all digits, times have units, and a change from nothing is no percent', () => {
  expect(count(1_234_567)).toBe('1,234,567');
  expect([0, 59.6, 61, 3_600, 172_800].map(duration)).toEqual([
    '0 s',
    '1 min 0 s',
    '1 min 1 s',
    '1 h 0 min',
    '2 d 0 h',
  ]);
  expect([change(3, 2), change(2, 2), change(1, 4), change(5, 0)]).toEqual(['+50 %', '0 %', '-75 %', null]);
});
