// The transactions in a browser: pages forth and back, filters that the URL names, and all that the API says of one.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  rowsOf,
  schemes,
  startDashboard,
  violationsOf,
  widths,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { storeTransaction } from '../../../../test/support/storedLines.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
/** Right-to-left text in quotes, as long as an id may be. */
const strange = `"مشتر/ي" ${'s'.repeat(240)}`;

beforeAll(async () => {
  dashboard = await startDashboard();
  const { service } = dashboard;
  const { id } = service.application;
  await service.database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
  viewer = await newDashboardUser(service, 'viewer');
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
  path = `/apps/${id}/transactions`;
});
afterAll(() => dashboard.stop());

const caption = 'Store transactions, newest first';

async function opened(search = '') {
  const open = await openDashboard(dashboard.browser);
  await logIn(open.page, dashboard.service.url, { ...viewer, path: `${path}${search}` });
  await open.page.getByRole('region', { name: caption }).waitFor();
  const ids = async () => (await rowsOf(open.page, caption)).map(([id]) => id!);
  return { ...open, ids };
}

test('pages go forth and back, and the URL names the page', async () => {
  const { page, problems, context, ids } = await opened();
  const { data } = await viewer.ask(
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
  expect(problems).toEqual([]);
  await context.close();
});

test('filters are in the URL: days of the zone, state, product, user and device', async () => {
  const { page, problems, context, ids } = await opened('?from=2026-03-01&to=2026-03-01');
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
  expect(problems).toEqual([]);
  await context.close();
});

test('a transaction opens by the keyboard with all that the API says, and its URL opens it again', async () => {
  const { page, problems, context } = await opened('?from=2026-03-01&to=2026-03-01');
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
  expect(problems).toEqual([]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, {
      ...viewer,
      path: `${path}?revenue=EUR&from=2026-02-28&to=2026-03-01`,
    });
    await page.getByRole('button', { name: 'Open transaction refunded' }).waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await page.getByRole('button', { name: 'Open transaction refunded' }).click();
    await page.getByRole('dialog', { name: 'Transaction' }).getByText('First transaction').waitFor();
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0]);
    await context.close();
  });
});
