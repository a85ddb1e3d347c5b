// Purchases in a browser: revenue, subscriptions, transactions, entitlements and the store.
import { generateKeyPairSync } from 'node:crypto';
import type { Page } from 'playwright-core';
import { storeLines } from '../../../test/support/analytics/storePurchases.ts';
import { exampleLines } from '../../../test/support/analytics/workedPurchases.ts';
import {
  expectFine,
  newDashboardUser,
  rowsOf,
  testEverywhere,
  tilesOf,
  useDashboard,
  violationsOf,
} from '../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../test/support/opensEverywhere.ts';
import { storeHolder, storeLine, storeTransaction } from '../../../test/support/storedLines.ts';

const { useWorkspace } = useDashboard();

// The revenue in a browser: its figures are those of the API, the URL says which, and each opens its transactions.
describe('revenue', () => {
  const dashboard = useWorkspace('viewer');

  beforeAll(async () => {
    const { database, application } = dashboard.service;
    const { id } = application;
    await database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
    // The purchases of docs/analytics/README.md, and one with the longest name.
    await storeLines(database.pool, id, exampleLines());
    const [long] = exampleLines();
    const purchases = [{ ...long!.purchases[0]!, id: 'w1', productId: 'w'.repeat(256), quantity: 2 }];
    await storeLines(database.pool, id, [{ ...long!, id: 'w1', purchases, renewals: [] }]);
  });

  const range = 'from=2026-02-27&to=2026-03-30';

  interface Asked {
    totals: Record<string, string | number>;
    points: { start: string; gross: string }[];
  }

  async function revenue(): Promise<Asked> {
    const question = `query R($input: RevenueInput!) {
      revenue(input: $input) { totals { gross refunds purchases renewals payers } points { start gross } } }`;
    const applicationId = dashboard.service.application.id;
    const input = { applicationId, currency: 'EUR', from: '2026-02-27', to: '2026-03-30' };
    return (await dashboard.user.ask(question, { input })).data!['revenue'] as Asked;
  }

  async function opened(search: string) {
    const open = await dashboard.open(`revenue?${search}`);
    await open.page.getByText('Net is gross minus refunds').waitFor();
    return open;
  }

  async function pointsOf(page: Page): Promise<string[][]> {
    await page.getByText('Table', { exact: true }).click();
    return await rowsOf(page, 'Gross in EUR');
  }

  test('points and breakdown are the figures of the API, exact to the last digit, and tiles in the digits of the currency', async () => {
    const { page } = await opened(range);
    const { totals, points } = await revenue();
    expect(await tilesOf(page)).toEqual({
      Gross: `€${totals['gross']}`,
      Net: '€72.92',
      Refunds: '€30.00',
      Purchases: String(totals['purchases']),
      Renewals: String(totals['renewals']),
      Payers: String(totals['payers']),
    });
    expect([totals['gross'], totals['refunds']]).toEqual(['102.92', '29.995']);
    await page.getByTitle('What was paid back in the range, also for purchases before it. Exactly €29.995.').waitFor();
    expect((await pointsOf(page)).map(([, gross]) => gross)).toEqual(points.map(({ gross }) => `€${gross}`));

    await page.getByLabel('Break down by').selectOption('PRODUCT');
    await page.getByRole('region', { name: 'Revenue by product' }).waitFor();
    const rows = await rowsOf(page, 'Revenue by product');
    expect(rows.map(([product, gross]) => [product!.slice(0, 7), gross])).toEqual([
      ['yearly', '€59.99'],
      ['monthly', '€19.98'],
      ['wwwwwww', '€19.98'],
      ['coins', '€2.97'],
    ]);
    expect(new URL(page.url()).searchParams.get('by')).toBe('PRODUCT');
    await page.getByLabel('Currency').selectOption('USD');
    await page.getByRole('link', { name: '$9.99: Gross, see the transactions' }).waitFor();
  });

  const listed = 'Store transactions, newest first';

  test('a figure opens the transactions that it counts, and so does a point', async () => {
    const { page } = await opened(range);
    await page.getByRole('link', { name: '€102.92: Gross, see the transactions' }).click();
    await page.getByText('The revenue of EUR counts the rows that say').waitFor();
    await page.getByRole('region', { name: listed }).waitFor();
    const rows = await rowsOf(page, listed);
    const counted = rows.filter(([, , , , counts]) => counts === 'purchase' || counts === 'renewal');
    const sum = counted.reduce((all, [, , , price]) => {
      const [amount = '', quantity = '1'] = price!.replace('€', '').split('×');
      return all + Number(amount) * Number(quantity);
    }, 0);
    expect(sum.toFixed(2)).toBe('102.92');
    expect(rows.map(([, , , , counts]) => counts)).toEqual(expect.arrayContaining(['no: another currency']));

    await page.goBack();
    expect(await page.getByRole('link', { name: 'Payers' }).count()).toBe(0);
    await page.getByRole('link', { name: /: Renewals, see the transactions marked “renewal”$/ }).click();
    await page.getByText('The renewals in the revenue of EUR are the rows that say “renewal”').waitFor();
    await page.getByRole('region', { name: listed }).waitFor();
    const renewals = (await rowsOf(page, listed)).filter(([, , , , counts]) => counts === 'renewal');
    expect(renewals).toHaveLength(Number((await revenue()).totals['renewals']));

    await page.goBack();
    await pointsOf(page);
    await page.getByRole('button', { name: '€59.99' }).click();
    await page.getByText('The revenue of EUR counts the rows that say').waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('from'), searchParams.get('to')]).toEqual(['2026-03-29', '2026-03-29']);
    await page.getByText('1 transaction', { exact: true }).waitFor();
    expect((await rowsOf(page, listed)).map(([id]) => id)).toEqual(['t3']);
  });

  test('the range can be yesterday and the last calendar month of the zone, and the URL has its days', async () => {
    const { page } = await opened(range);
    const days = () => ['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name));
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format();
    const [year, month, day] = today.split('-').map(Number) as [number, number, number];
    const dayOf = (...parts: [number, number, number]): string =>
      new Date(Date.UTC(...parts)).toISOString().slice(0, 10);
    const choices: [string, string, string][] = [
      ['Yesterday', dayOf(year, month - 1, day - 1), dayOf(year, month - 1, day - 1)],
      ['Last month', dayOf(year, month - 2, 1), dayOf(year, month - 1, 0)],
      ['7 days', dayOf(year, month - 1, day - 6), today],
    ];
    for (const [name, from, to] of choices) {
      await page.getByText(name, { exact: true }).click();
      await page.waitForURL((url) => url.searchParams.get('from') === from);
      expect(days()).toEqual([from, to]);
      await page.getByRole('radio', { name, exact: true, checked: true }).waitFor({ state: 'attached' });
    }
  });

  test('figures of zero open nothing, and as much as before is unchanged', async () => {
    const { page } = await opened('from=2020-01-01&to=2020-01-31&currency=EUR');
    expect(await tilesOf(page)).toMatchObject({ Gross: '€0.00', Purchases: '0', Renewals: '0' });
    expect(await page.locator('dl').getByRole('link').count()).toBe(0);
    expect(await page.locator('dl').getByText('unchanged', { exact: true }).count()).toBe(6);
  });

  test('without a purchase it says so, and what to do', async () => {
    const other = await dashboard.service.newApplication();
    const owner = await newDashboardUser({ ...dashboard.service, application: other }, 'owner');
    const { page } = await dashboard.open(`/apps/${other.id}/revenue`, { as: owner });
    await page.getByText('No purchases with a price yet').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'See all transactions' }).click();
    await page.getByText('No transactions yet').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open(`revenue?${range}&by=PRODUCT`, look);
    await page.getByRole('region', { name: 'Revenue by product' }).waitFor();
    await expectFine(page);
    await page.getByText('Table', { exact: true }).click();
    await expectFine(page);
  });
});

// The subscriptions in a browser: the figures of an instant are those of the API, in the application's zone.
describe('subscriptions', () => {
  const dashboard = useWorkspace('viewer');

  beforeAll(async () => {
    const { database, application } = dashboard.service;
    const { id } = application;
    await database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
    await storeLines(database.pool, id, exampleLines());
  });

  interface Asked {
    active: number;
    trials: number;
    inGrace: number;
    inRetry: number;
    mrr: { currency: string; amount: string }[];
  }

  async function subscriptions(at: string, includeTest = false): Promise<Asked> {
    const question = `query S($applicationId: UUID!, $at: DateTime, $includeTest: Boolean) {
      subscriptions(applicationId: $applicationId, at: $at, includeTest: $includeTest) {
        active trials inGrace inRetry mrr { currency amount } } }`;
    const variables = { applicationId: dashboard.service.application.id, at, includeTest };
    return (await dashboard.user.ask(question, variables)).data!['subscriptions'] as Asked;
  }

  const shown = ({ active, trials, inGrace, inRetry }: Asked): Record<string, string> => ({
    Active: String(active),
    'In a free trial': String(trials),
    'In grace': String(inGrace),
    'In billing retry': String(inRetry),
  });

  test('the figures are those of the API at the instant of the URL, and the typed time is one of the zone', async () => {
    const { page } = await dashboard.open('subscriptions?at=2026-03-31T10:00:00.000Z');
    await page.getByText('Compared with 1 Mar 2026, 11:00, 30 days before.').waitFor();
    const now = await subscriptions('2026-03-31T10:00:00.000Z');
    expect(now).toMatchObject({ active: 3, trials: 1, inGrace: 1 });
    expect(await tilesOf(page)).toEqual(shown(now));
    const before = await subscriptions('2026-03-01T10:00:00.000Z');
    const rows = await rowsOf(page, 'Monthly revenue by currency');
    expect(rows.map(([currency, amount, earlier]) => [currency, amount, earlier])).toEqual([
      ['EUR', `€${now.mrr[0]!.amount}`, `€${before.mrr[0]!.amount}`],
      ['USD', `$${now.mrr[1]!.amount}`, `$${before.mrr[1]!.amount}`],
    ]);

    const at = page.getByLabel('At (Europe/Berlin)');
    expect(await at.inputValue()).toBe('2026-03-31T12:00');
    await page.getByLabel('Sandbox').click();
    await page.getByText('4', { exact: true }).waitFor();
    expect(await tilesOf(page)).toEqual(shown(await subscriptions('2026-03-31T10:00:00.000Z', true)));
    await page.getByLabel('Sandbox').click();
    await at.fill('2026-03-01T09:30');
    await page.getByText('Compared with 30 Jan 2026, 09:30, 30 days before.').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe('2026-03-01T08:30:00.000Z');
    expect(await tilesOf(page)).toEqual(shown(await subscriptions('2026-03-01T08:30:00.000Z')));

    await page.getByRole('button', { name: 'Now' }).click();
    await page.getByText('No paid subscription at this instant').waitFor();
    expect(new URL(page.url()).searchParams.has('at')).toBe(false);
  });

  test('an instant that has not come is refused in words', async () => {
    const { page } = await dashboard.open('subscriptions?at=2999-03-31T10:00:00.000Z');
    await page.getByRole('alert').getByText('future').waitFor();
    await page.getByRole('button', { name: 'Now' }).click();
    await page.getByText('30 days before. As of').waitFor();
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open('subscriptions?at=2026-03-31T10:00:00.000Z', look);
    await page.getByRole('region', { name: 'Monthly revenue by currency' }).waitFor();
    await expectFine(page);
  });
});

// The transactions in a browser: pages forth and back, filters that the URL names, and all that the API says of one.
describe('transactions', () => {
  const dashboard = useWorkspace('viewer');
  /** Right-to-left text in quotes, as long as an id may be. */
  const strange = `"مشتر/ي" ${'s'.repeat(240)}`;

  beforeAll(async () => {
    const { service } = dashboard;
    const { id } = service.application;
    await service.database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
    await service.database.pool.query(
      `INSERT INTO store_transactions (id, application_id, state, line_id, original_id, product_id, kind, environment,
         purchased_at, price_milli, currency, quantity, ownership, storefront, signed_at, resolved_at)
       SELECT id, $1, 'RESOLVED', id, id, 'coins', 'CONSUMABLE', 'PRODUCTION',
         '2026-03-01T00:00:00Z'::timestamptz + i * interval '1 hour', 990, 'EUR', 1, 'PURCHASED', 'DE', now(), now()
       FROM generate_series(1, 120) AS i, LATERAL (SELECT 'many-' || lpad(i::text, 3, '0') AS id) AS named`,
      [id],
    );
    await storeTransaction(service, id, {
      ...{ id: 'refunded', state: 'RESOLVED', lineId: 'first', originalId: 'first', kind: 'AUTO_RENEWABLE' },
      ...{ productId: 'p'.repeat(256), environment: 'SANDBOX', purchasedAt: new Date('2026-02-28T23:30:00Z') },
      ...{ priceMilli: 59_990n, currency: 'EUR', quantity: 3, ownership: 'PURCHASED', storefront: 'FR' },
      ...{ offer: 'INTRODUCTORY', offerMode: 'PAY_UP_FRONT', revokedAt: new Date('2026-03-02T10:00:00Z') },
      ...{ revocationType: 'REFUND_PRORATED', revocationReason: 'OTHER', revocationPercent: 12.5 },
    });
    await storeTransaction(service, id, { id: 'refused', state: 'FAILED', reason: 'wrong_bundle' });
    const uploaded = { device: { id: strange, external_id: strange }, transactions: [{ id: 'uploaded' }] };
    const sent = await service.client.send(
      'reportStoreTransactions',
      { 'X-Api-Key': service.application.key.public },
      uploaded,
    );
    expect(sent.status).toBe(200);
  });

  const caption = 'Store transactions, newest first';

  async function opened(search = '') {
    const open = await dashboard.open(`transactions${search}`);
    await open.page.getByRole('region', { name: caption }).waitFor();
    const ids = async () => (await rowsOf(open.page, caption)).map(([id]) => id!);
    return { ...open, ids };
  }

  test('pages go forth and back, and the URL names the page', async () => {
    const { page, ids } = await opened();
    const { data } = await dashboard.user.ask(
      'query T($id: UUID!) { storeTransactions(applicationId: $id, limit: 200) { nodes { id } } }',
      { id: dashboard.service.application.id },
    );
    const all = (data!['storeTransactions'] as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
    await page.getByText('Page 1', { exact: true }).waitFor();
    expect(await ids()).toEqual(all.slice(0, 50));
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Open transaction ${all[60]}` }).click();
    await page.getByRole('dialog', { name: 'Transaction' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('23 transactions on this page').waitFor();
    expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Page before' }).click();
    await page.getByText('Page 2', { exact: true }).waitFor();
    expect(await ids()).toEqual(all.slice(50, 100));
    await page.reload();
    await page.getByText('50 transactions on this page').waitFor();
    expect(await ids()).toEqual(all.slice(50, 100));
    expect(await page.getByRole('button', { name: 'Page before' }).count()).toBe(0);
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByText('Page 1', { exact: true }).waitFor();
  });

  test('filters are in the URL: days of the zone, state, product, user and device', async () => {
    const { page, ids } = await opened('?from=2026-03-01&to=2026-03-01');
    await page.getByText('23 transactions').waitFor();
    // 23:30 in UTC is the next day in Berlin.
    expect((await ids()).at(-1)).toBe('refunded');
    await page.getByRole('combobox', { name: 'Product' }).fill('p'.repeat(256));
    await page.keyboard.press('Enter');
    await page.getByText('1 transaction', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Page 1', { exact: true }).waitFor();
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('1 transaction', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'Failed: It belongs to another app.' }).waitFor();
    expect(await ids()).toEqual(['refused']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Page 1', { exact: true }).waitFor();
    await page.getByLabel('User (external_id)').fill(strange);
    await page.keyboard.press('Enter');
    await page.getByText('1 transaction', { exact: true }).waitFor();
    expect(await ids()).toEqual(['uploaded']);
    await page.reload();
    await page.getByText('1 transaction', { exact: true }).waitFor();
    expect(await page.getByLabel('User (external_id)').inputValue()).toBe(strange);
    await page.getByLabel('Device id').fill('nobody');
    await page.keyboard.press('Tab');
    await page.getByText('No transaction fits the filters').waitFor();
    await page.getByLabel('Device id').fill(strange);
    await page.keyboard.press('Tab');
    await page.getByText('1 transaction', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'See what this user owns' }).click();
    await page.getByText('No entitlement fits the filters').waitFor();
    expect(await page.getByLabel('Device id').inputValue()).toBe(strange);
  });

  test('a transaction opens by the keyboard with all that the API says, and its URL opens it again', async () => {
    const { page } = await opened('?from=2026-03-01&to=2026-03-01');
    await page.getByRole('button', { name: 'Open transaction refunded' }).focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Transaction' });
    await drawer.waitFor();
    await page.reload();
    await drawer.waitFor();
    await drawer.getByText('First transaction').waitFor();
    const facts = await drawer.locator('dl > div').allInnerTexts();
    const shown = facts.map((fact) => fact.split('\n').join(': '));
    expect(shown).toEqual(
      expect.arrayContaining([
        'First transaction: first',
        'Kind: Subscription',
        'Bought (Europe/Berlin): 1 Mar 2026, 00:30:00',
        'Price: €59.99 × 3',
        'Offer: Introductory, paid up front',
        'Country of the store: France (FR)',
        'Taken back: 2 Mar 2026, 11:00:00',
        'How: Refund of a part',
        'Part of the price: 12.5 %',
        'State: Verified',
      ]),
    );
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('open')).toBe(false);
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open('transactions?revenue=EUR&from=2026-02-28&to=2026-03-01', look);
    await page.getByRole('button', { name: 'Open transaction refunded' }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Open transaction refunded' }).click();
    await page.getByRole('dialog', { name: 'Transaction' }).getByText('First transaction').waitFor();
    await expectFine(page);
  });
});

// The entitlements in a browser: who owns what, in words that say why a line is not active, and the way to its user.
describe('entitlements', () => {
  const dashboard = useWorkspace('viewer');
  const [device, user] = [`"جهاز" / ${'d'.repeat(240)}`, `kunde & söhne ${'u'.repeat(240)}`];
  const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);

  beforeAll(async () => {
    const { service } = dashboard;
    const { id } = service.application;
    await service.database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
    const subscription = { kind: 'AUTO_RENEWABLE', currency: 'EUR', priceMilli: 9_990n, quantity: 1 } as const;
    const owner = { ownerExternalId: user, ownerDeviceId: device };
    const lines = [
      { lineId: 'runs', ...owner, purchasedAt: inDays(-1), expiresAt: inDays(29), autoRenew: true },
      {
        ...{ lineId: 'grace', purchasedAt: inDays(-32), expiresAt: inDays(-2), autoRenew: true },
        ...{ graceExpiresAt: inDays(3), inBillingRetry: true },
      },
      { lineId: 'retry', purchasedAt: inDays(-41), expiresAt: inDays(-11), inBillingRetry: true },
      { lineId: 'refunded', purchasedAt: inDays(-5), expiresAt: inDays(25), revokedAt: inDays(-4) },
      { lineId: 'ended', purchasedAt: inDays(-90), expiresAt: inDays(-60), autoRenew: false },
    ];
    for (const line of lines) await storeLine(service, id, { ...subscription, lookedUpAt: new Date(), ...line });
    await storeLine(service, id, { lineId: 'once', productId: 'p'.repeat(256), purchasedAt: inDays(-200) });
    await storeHolder(service, id, { lineId: 'runs', device, externalId: user });
    for (const transaction of ['first', 'second'])
      await storeTransaction(service, id, {
        id: transaction,
        lineId: 'runs',
        purchasedAt: new Date(),
        state: 'RESOLVED',
      });
  });

  const caption = 'Entitlements, newest first';

  test('lines say their state in words, filters are in the URL, and a line opens with its transactions', async () => {
    const { page } = await dashboard.open('entitlements');
    await page.getByText('6 entitlements', { exact: true }).waitFor();
    const states = async () => (await rowsOf(page, caption)).map(([line, , , state]) => [line, state]);
    expect(await states()).toEqual([
      ['runs', 'Active'],
      ['refunded', 'Taken back'],
      ['grace', 'Active, in grace'],
      ['retry', 'Ended, in billing retry'],
      ['ended', 'Ended'],
      ['once', 'Active'],
    ]);
    const { data } = await dashboard.user.ask(
      'query E($id: UUID!) { entitlements(applicationId: $id, active: true) { nodes { id } } }',
      { id: dashboard.service.application.id },
    );
    await page.getByLabel('Show').selectOption('Active');
    await page.getByText('3 entitlements', { exact: true }).waitFor();
    const active = (data!['entitlements'] as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
    expect((await states()).map(([line]) => line)).toEqual(active);

    await page.getByLabel('Device id').fill(device);
    await page.keyboard.press('Enter');
    await page.getByText('1 entitlement', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 entitlement', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('device')).toBe(device);
    await page.getByRole('button', { name: 'Open line runs' }).focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Entitlement' });
    await drawer.getByText('Transactions (2)').waitFor();
    await drawer.getByText('second', { exact: true }).waitFor();
    await drawer.getByRole('link', { name: 'Transactions of this user' }).click();
    await page.getByText('2 transactions', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('user')).toBe(user);
  });

  test('the device of a line opens from it, and filters that fit nothing say so', async () => {
    const { page } = await dashboard.open('entitlements?user=nobody&active=false');
    await page.getByText('No entitlement fits the filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('cell', { name: device }).getByRole('link').click();
    await page.waitForURL(/\/device\?/);
    expect(new URL(page.url()).searchParams.get('id')).toBe(device);
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open('entitlements', look);
    await page.getByText('6 entitlements', { exact: true }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Open line runs' }).click();
    await page.getByRole('dialog', { name: 'Entitlement' }).getByText('Transactions (2)').waitFor();
    await expectFine(page);
  });
});

// The store of an application in a browser: credentials are set, never shown again and cleared; products get a duration.
describe('store', () => {
  const dashboard = useWorkspace('admin');
  let applicationId: string;
  beforeAll(async () => {
    applicationId = dashboard.service.application.id;
  });

  const newPrivateKey = (): string =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

  async function stored(): Promise<unknown> {
    const { data } = await dashboard.user.ask('{ applications { storeCredentialsSet storeAppId } }');
    return (data!['applications'] as unknown[])[0];
  }

  test('an admin sets, replaces and clears the credentials, and the number of the app beside them', async () => {
    const { page } = await dashboard.open('store');
    const credentials = page.getByRole('region', { name: 'Store credentials' });
    await credentials.getByText('Not set').waitFor();
    await page.getByText(`${dashboard.service.url}/api/v1/store/notifications/${applicationId}`).waitFor();
    const issuerId = '57246542-96fe-1a63-e053-0824d011072a';
    await page.getByLabel('Issuer id').fill(issuerId);
    await page.getByLabel('Key id').fill('KEY1234567');
    await page.getByLabel('Private key').fill('-----BEGIN PRIVATE KEY-----\nnone');
    await page.getByRole('button', { name: 'Save the credentials' }).click();
    await page.getByText('must be a P-256 private key in PKCS#8 PEM').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Private key').fill(newPrivateKey());
    await page.getByRole('button', { name: 'Save the credentials' }).click();
    await credentials.getByText('Set', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(issuerId);

    await page.getByLabel('Number of the app').fill('12a');
    await page.getByRole('button', { name: 'Save the number' }).click();
    await page.getByText('The number has 1 to 15 digits.').waitFor();
    await page.getByLabel('Number of the app').fill(' 1234567890');
    await page.getByRole('button', { name: 'Save the number' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await stored()).toEqual({ storeCredentialsSet: true, storeAppId: '1234567890' });

    await credentials.getByRole('button', { name: 'Replace …' }).click();
    expect(await page.getByLabel('Private key').inputValue()).toBe('');
    await credentials.getByRole('button', { name: 'Cancel' }).click();
    await credentials.getByRole('button', { name: 'Clear …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await credentials.getByText('Not set').waitFor();
    expect(await stored()).toEqual({ storeCredentialsSet: false, storeAppId: '1234567890' });
  });

  test('an admin says how long a product lasts', async () => {
    const { page } = await dashboard.open('store');
    await page.getByText('No products yet').waitFor();
    await page.getByRole('button', { name: 'Name a product' }).click();
    await page.getByLabel('Product identifier').fill('pass');
    await page.getByLabel('Days of 24 hours').fill('0');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Enter 1 to 36,500 days.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Days of 24 hours').fill('30');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: 'pass Not sold yet 30 days' }).waitFor();
    await page.getByRole('button', { name: 'Duration of pass' }).click();
    await page.getByLabel('Days of 24 hours').fill('');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: 'pass Not sold yet Does not end' }).waitFor();
    const query = 'query P($id: UUID!) { products(applicationId: $id) { productId durationDays } }';
    const { data } = await dashboard.user.ask(query, { id: applicationId });
    expect(data!['products']).toEqual([{ productId: 'pass', durationDays: null }]);
  });

  test('a viewer reads the state and who can change it, and both roles open it everywhere', async () => {
    const input = { applicationId, productId: 'W'.repeat(256), durationDays: 36_500 };
    await dashboard.user.ask('mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId } }', {
      input,
    });
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    await expectOpensEverywhere(dashboard, {
      path: 'store',
      login: viewer,
      seen: 'Admins and owners can set store credentials.',
    });
    await expectOpensEverywhere(dashboard, { path: 'store', seen: '36,500 days' });
  });
});
