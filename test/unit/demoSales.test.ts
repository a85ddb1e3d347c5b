// The demo's closing table: the stories have every state, and each difference between the shop and the API is noticed and named.
import { stories } from '../tools/demo/customers/stories.ts';
import { durationDays, type Story } from '../tools/demo/customers/story.ts';
import { originalId, type FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { saidItems, type Said } from '../tools/demo/sales/saidItems.ts';
import { compareSales } from '../tools/demo/sales/salesComparison.ts';
import { salesTable } from '../tools/demo/sales/salesTable.ts';
import { soldItems } from '../tools/demo/sales/soldItems.ts';

const startedAt = new Date('2026-11-21T10:00:00Z');
const periodEnd = new Date('2026-11-21T10:00:15Z');
const now = new Date('2026-11-21T10:00:40Z');
const told = stories({ runId: 'r', startedAt, periodEnd });

/** What the store has sold at the end of all stories. */
function soldBy(all: Story[]): FakePurchase[] {
  const sold = new Map<string, FakePurchase>();
  const changes = all.flatMap(({ later }) => later?.changes ?? []).flatMap(({ sells }) => sells);
  for (const each of [...all.flatMap(({ sold: first }) => first), ...changes]) sold.set(each.transactionId, each);
  return [...sold.values()];
}

const purchases = soldBy(told);
const sold = soldItems({ purchases, unknown: ['x'], durationDays, now });
const rowsOf = (list: string) =>
  compareSales(sold, []).rows.flatMap((row) => (row.list === list ? [`${row.productId} ${row.state}`] : []));

test('the stories have every state of a transaction and of a line', () => {
  expect(rowsOf('transactions')).toEqual([
    '(unknown) not_known_yet',
    ...['renewal', 'bought', 'upgraded'].map((state) => `demo.basic ${state}`).sort(),
    'demo.coins bought',
    ...['bought', 'family share', 'family share revoked'].map((state) => `demo.family ${state}`),
    ...['bought', 'refunded'].map((state) => `demo.full_version ${state}`),
    ...['bought', 'bought', 'introductory', 'refunded', 'renewal', 'renewal', 'upgrade'].map(
      (s) => `demo.monthly ${s}`,
    ),
    'demo.pass bought',
  ]);
  expect(rowsOf('entitlements')).toEqual([
    ...['expired', 'in billing retry'].map((state) => `demo.basic ${state}`),
    'demo.coins active',
    ...['active', 'family share', 'family share revoked'].map((state) => `demo.family ${state}`),
    ...['active', 'refunded'].map((state) => `demo.full_version ${state}`),
    ...['active', 'expired', 'in billing retry', 'in grace', 'refunded'].map((state) => `demo.monthly ${state}`),
    ...['active', 'expired'].map((state) => `demo.pass ${state}`),
  ]);
});

test('changes come by notifications and without, and purchases are restored by owners and strangers', () => {
  const changes = told.flatMap(({ later }) => later?.changes ?? []);
  const notified = changes.flatMap(({ notice }) => (notice ? [notice.type] : []));
  expect(new Set(notified)).toEqual(new Set(['DID_RENEW', 'DID_FAIL_TO_RENEW', 'REFUND', 'REVOKE']));
  expect(changes.length - notified.length).toBeGreaterThanOrEqual(4);
  const visits = told.flatMap(({ visits: first, later }) => [...first, ...(later?.visits ?? [])]);
  expect(new Set(visits.map(({ role, holds }) => `${role} ${holds}`))).toEqual(
    new Set(['first phone true', 'second phone true', "stranger's phone false"]),
  );
  expect(purchases.some(({ accountToken }) => accountToken !== undefined)).toBe(true);
  expect(purchases.some(({ quantity }) => quantity === 5)).toBe(true);
});

/** The API says what the store has sold. */
function rightlySaid(): Said {
  const states = new Map(sold.map(({ list, id, state }) => [`${list} ${id}`, state]));
  const latest = new Map<string, FakePurchase>();
  for (const each of [...purchases].sort((one, other) => one.purchasedAt.getTime() - other.purchasedAt.getTime()))
    latest.set(each.kind === 'AUTO_RENEWABLE' ? originalId(each) : each.transactionId, each);
  const common = ({ familyShared, revokedAt, quantity = 1 }: FakePurchase) => ({
    ...{
      ownership: familyShared ? 'FAMILY_SHARED' : 'PURCHASED',
      revokedAt: revokedAt?.toISOString() ?? null,
      quantity,
    },
  });
  return {
    transactions: [
      ...purchases.map((each) => ({
        ...{ id: each.transactionId, state: 'RESOLVED', reason: null, originalId: originalId(each) },
        ...{ productId: each.productId, kind: each.kind, environment: 'PRODUCTION', offer: each.offer ?? 'NONE' },
        ...{ purchasedAt: each.purchasedAt.toISOString(), expiresAt: each.expiresAt?.toISOString() ?? null },
        ...{ price: each.price === undefined ? null : String(each.price / 1_000), currency: each.currency ?? null },
        ...common(each),
      })),
      ...[{ id: 'x', state: 'PENDING', reason: 'not_known_yet', price: null, currency: null, ownership: null }].map(
        (pending) => ({
          ...{ originalId: null, productId: null, kind: null, environment: null, purchasedAt: null, expiresAt: null },
          ...{ revokedAt: null, offer: null, quantity: null, ...pending },
        }),
      ),
    ],
    entitlements: [...latest].map(([id, each]) => {
      const state = states.get(`entitlements ${id}`)!;
      const inBillingRetry = each.inBillingRetry ?? false;
      const active = ['active', 'in grace', 'family share'].includes(state);
      const [purchasedAt, ...ends] = sold
        .find((item) => item.list === 'entitlements' && item.id === id)!
        .dates.split(' ');
      const [expiresAt, graceExpiresAt] = ends.map((date) => (date === '–' ? null : date));
      const dates = { purchasedAt: purchasedAt!, expiresAt: expiresAt!, graceExpiresAt: graceExpiresAt! };
      return { id, productId: each.productId, inBillingRetry, active, ...dates, ...common(each) };
    }),
  };
}

test('the same on both sides agrees in every row, with the gross price of each currency', () => {
  const { rows, problems } = compareSales(sold, saidItems(rightlySaid()));
  expect([problems, rows.every(({ agrees }) => agrees)]).toEqual([[], true]);
  const table = salesTable(rows);
  expect(table).toMatch(/demo\.monthly +introductory +1 +1 +0\.99 EUR +1 +1 +0\.99 EUR +yes/);
  expect(table).toMatch(/demo\.monthly +renewal +1 +1 +1500 JPY +1 +1 +1500 JPY +yes/);
  expect(table).toMatch(/demo\.coins +bought +1 +5 +4\.95 EUR +1 +5 +4\.95 EUR +yes/);
  expect(table).toMatch(/demo\.pass +expired +1 +1 +1 +1 +yes/);
});

const transaction = (said: Said, name: string) => said.transactions.find(({ id }) => id === `demo-r-${name}`)!;
const line = (said: Said, name: string) => said.entitlements.find(({ id }) => id === `demo-r-${name}`)!;

test.each<[string, (said: Said) => void, RegExp]>([
  [
    'a renewal that is missing',
    (said) => void said.transactions.splice(said.transactions.indexOf(transaction(said, 'introductory-renewed')), 1),
    /^demo\.monthly, renewal \(transactions\): the shop sold 6 .*, the API says 5 .*; without demo-r-introductory-renewed$/m,
  ],
  [
    'one that nobody sold',
    (said) => void said.transactions.push({ ...transaction(said, 'refunded'), id: 'strange', originalId: 'strange' }),
    /demo\.monthly, refunded \(transactions\): .*; with strange$/m,
  ],
  [
    'another one in its place',
    (said) => void (transaction(said, 'coinsAndFullVersion-coins').id = 'other'),
    /demo\.coins, bought \(transactions\): .*; without demo-r-coinsAndFullVersion-coins; with other$/m,
  ],
  [
    'another price',
    (said) => void (transaction(said, 'introductory').price = '9.99'),
    /demo\.monthly, introductory .* 1 \(quantity 1, 0\.99 EUR\), the API says 1 \(quantity 1, 9\.99 EUR\)$/m,
  ],
  [
    'another currency',
    (said) => void (transaction(said, 'renewed').currency = 'EUR'),
    /demo\.monthly, bought \(transactions\): the shop sold 1 .*1500 JPY\), the API says 0 .*0 JPY\); without demo-r-renewed$/m,
  ],
  [
    'one coin of five',
    (said) => void (transaction(said, 'coinsAndFullVersion-coins').quantity = 1),
    /demo\.coins, bought .*quantity 5, .*quantity 1, /,
  ],
  [
    'a family share as an own purchase',
    (said) => void (line(said, 'family-ann').ownership = 'PURCHASED'),
    /demo\.family, family share \(entitlements\): .*; without demo-r-family-ann/,
  ],
  ['no refund', (said) => void (line(said, 'refunded').revokedAt = null), /demo\.monthly, refunded \(entitlements\)/],
  [
    'an active refund',
    (said) => void (line(said, 'refunded').active = true),
    /demo\.monthly, refunded, yet active \(entitlements\): .*; with demo-r-refunded/,
  ],
  ['grace that is over', (said) => void (line(said, 'inGrace').active = false), /demo\.monthly, in grace/],
  [
    'another end of grace',
    (said) => void (line(said, 'inGrace').graceExpiresAt = '2026-12-01T00:00:00.000Z'),
    /demo\.monthly, in grace .*; with other dates demo-r-inGrace \(.* sold, .* said\)$/m,
  ],
  ['an active one in billing retry', (said) => void (line(said, 'inBillingRetry').active = true), /in billing retry/],
  ['an expired one that is active', (said) => void (line(said, 'longExpired').active = true), /demo\.basic, expired/],
  ['a pass without its end', (said) => void (line(said, 'passes-400').active = true), /demo\.pass, expired/],
  [
    'the product before the upgrade',
    (said) => void (line(said, 'upgraded').productId = 'demo.basic'),
    /demo\.basic, active \(entitlements\): .*; with demo-r-upgraded/,
  ],
  [
    'one that was not looked up',
    (said) => void Object.assign(transaction(said, 'lateStore'), { state: 'PENDING', reason: 'store_busy' }),
    /\(unknown\), store_busy \(transactions\): .*; with demo-r-lateStore/,
  ],
])('%s is a difference, and the problem names it', (_, change, problem) => {
  const said = rightlySaid();
  change(said);
  const { rows, problems } = compareSales(sold, saidItems(said));
  expect(problems.join('\n')).toMatch(problem);
  expect(rows.filter(({ agrees }) => !agrees)).toHaveLength(problems.length);
  expect(salesTable(rows)).toMatch(/ NO$/m);
});
