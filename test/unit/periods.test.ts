// The rule of which period of a line holds: replaced, taken back and future periods, in any order.
import fc from 'fast-check';
import { holdingPeriod, nextBegin, takenBackAt, type PeriodDates } from '../../src/purchases/periods.ts';

const end = new Date('2026-10-10T00:00:00Z');
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const at = (millis: number) => new Date(end.getTime() + millis);

interface Period extends PeriodDates {
  product: string;
}

const period = (transactionId: string, fields: Partial<Period>): Period => ({
  ...{ transactionId, product: 'monthly', purchasedAt: at(-30 * day), revokedAt: null, upgraded: false },
  ...fields,
});
const present = period('1', {});
const renewal = period('2', { purchasedAt: end });
/** Bought before the renewal begins. */
const bought = at(-2.7 * hour);
const yearly = period('3', { product: 'yearly', purchasedAt: bought });
const replaced = { ...renewal, revokedAt: bought, upgraded: true };

/** Every order of these. */
const orders = (periods: Period[]): Period[][] =>
  periods.length < 2
    ? [periods]
    : periods.flatMap((one, index) => orders(periods.toSpliced(index, 1)).map((rest) => [one, ...rest]));

test.each<[string, Period[], Date, string]>([
  ['the one that was bought last', [present, renewal], at(1), '2'],
  [
    'of two bought at once the one that was not taken back',
    [{ ...renewal, revokedAt: at(1) }, period('1', renewal)],
    at(2),
    '2',
  ],
  ['of two equal ones the longer id', [period('9', {}), period('10', {})], end, '10'],
  ['of two equal ones the greater id', [period('9', {}), period('8', {})], end, '9'],
  ['the present one until the next begins', [present, renewal], at(-1), '1'],
  ['the next one from its begin on', [present, renewal], end, '2'],
  ['the first to begin where none has', [renewal, period('4', { purchasedAt: at(day) })], at(-1), '2'],
  ['one that was taken back later', [present, { ...renewal, revokedAt: at(day) }], at(2 * day), '2'],
  ['not one that was taken back before it began', [present, { ...renewal, revokedAt: at(-hour) }], at(-minute), '1'],
  ['nor after it would have begun', [present, { ...renewal, revokedAt: at(-hour) }], at(day), '1'],
  ['but this one where there is no other', [{ ...renewal, revokedAt: at(-hour) }], at(day), '2'],
  ['the upgrade before the end', [present, replaced, yearly], at(-hour), '3'],
  ['the upgrade after the end', [present, replaced, yearly], at(day), '3'],
  [
    'the upgrade, where the renewal was replaced after its begin',
    [present, { ...replaced, revokedAt: at(1) }, yearly],
    at(day),
    '3',
  ],
  ['the upgrade, where the store gives no time', [present, { ...replaced, revokedAt: null }, yearly], at(day), '3'],
  ['what was replaced, as long as it was not', [present, { ...replaced, revokedAt: at(day) }], at(hour), '2'],
  [
    'a refunded upgrade, and not what it has replaced',
    [
      { ...present, upgraded: true },
      { ...yearly, revokedAt: at(0) },
    ],
    at(1),
    '3',
  ],
])('%s', (_, periods, instant, id) => {
  for (const order of orders(periods)) expect(holdingPeriod(order, instant)!.transactionId).toBe(id);
});

test('of no period none holds', () => expect(holdingPeriod([], end)).toBeNull());

const drawn = fc.record({
  transactionId: fc.constantFrom('1', '2', '9', '10', '11', '20'),
  purchasedAt: fc.integer({ min: 0, max: 4 }),
  revokedAt: fc.option(fc.integer({ min: 0, max: 4 })),
  upgraded: fc.boolean(),
});

test('the order of arrival decides nothing', () => {
  const line = fc.uniqueArray(drawn, { selector: ({ transactionId }) => transactionId });
  const twice = line.chain((periods) =>
    fc.tuple(fc.constant(periods), fc.shuffledSubarray(periods, { minLength: periods.length })),
  );
  fc.assert(
    fc.property(twice, fc.integer({ min: -1, max: 5 }), ([one, other], instant) => {
      expect(holdingPeriod(other, instant)).toEqual(holdingPeriod(one, instant));
    }),
  );
});

test.each<[string, Period[], Date | null]>([
  ['that of the next period', [present, renewal, period('4', { purchasedAt: at(day) })], end],
  ['not of one that was taken back before it begins', [present, { ...renewal, revokedAt: at(-hour) }], null],
  ['not of one that was replaced', [present, replaced, yearly], null],
  ['none where all have begun', [present], null],
])('the next begin: %s', (_, periods, begin) => {
  for (const order of orders(periods)) expect(nextBegin(order, at(-hour / 2))).toEqual(begin);
});

test('a replaced period is not taken back', () => {
  expect([takenBackAt(replaced), takenBackAt({ ...replaced, upgraded: false })]).toEqual([null, bought]);
});
