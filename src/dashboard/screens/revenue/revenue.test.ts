// The revenue in a browser: its figures are those of the API, the URL says which, and each opens its transactions.
import type { Page } from 'playwright-core';
import { storeLines } from '../../../../test/support/analytics/storePurchases.ts';
import { exampleLines } from '../../../../test/support/analytics/workedPurchases.ts';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  rowsOf,
  schemes,
  startDashboard,
  tilesOf,
  violationsOf,
  widths,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  const { database, application } = dashboard.service;
  const { id } = application;
  await database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
  viewer = await newDashboardUser(dashboard.service, 'viewer');
  // The purchases of docs/analytics/README.md, and one with the longest name.
  await storeLines(database.pool, id, exampleLines());
  const [long] = exampleLines();
  const purchases = [{ ...long!.purchases[0]!, id: 'w1', productId: 'w'.repeat(256), quantity: 2 }];
  await storeLines(database.pool, id, [{ ...long!, id: 'w1', purchases, renewals: [] }]);
  path = `/apps/${id}/revenue`;
});
afterAll(() => dashboard.stop());

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
  return (await viewer.ask(question, { input })).data!['revenue'] as Asked;
}

async function opened(search: string) {
  const open = await openDashboard(dashboard.browser);
  await logIn(open.page, dashboard.service.url, { ...viewer, path: `${path}?${search}` });
  await open.page.getByText('Net is gross minus refunds').waitFor();
  return open;
}

async function pointsOf(page: Page): Promise<string[][]> {
  await page.getByText('Table', { exact: true }).click();
  return await rowsOf(page, 'Gross in EUR');
}

test('points and breakdown are the figures of the API, exact to the last digit, and tiles in the digits of the currency', async () => {
  const { page, problems, context } = await opened(range);
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
  expect(problems).toEqual([]);
  await context.close();
});

const listed = 'Store transactions, newest first';

test('a figure opens the transactions that it counts, and so does a point', async () => {
  const { page, problems, context } = await opened(range);
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
  expect(problems).toEqual([]);
  await context.close();
});

test('the range can be yesterday and the last calendar month of the zone, and the URL has its days', async () => {
  const { page, problems, context } = await opened(range);
  const days = () => ['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name));
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format();
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  const dayOf = (...parts: [number, number, number]): string => new Date(Date.UTC(...parts)).toISOString().slice(0, 10);
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
  expect(problems).toEqual([]);
  await context.close();
});

test('figures of zero open nothing, and as much as before is unchanged', async () => {
  const { page, problems, context } = await opened('from=2020-01-01&to=2020-01-31&currency=EUR');
  expect(await tilesOf(page)).toMatchObject({ Gross: '€0.00', Purchases: '0', Renewals: '0' });
  expect(await page.locator('dl').getByRole('link').count()).toBe(0);
  expect(await page.locator('dl').getByText('unchanged', { exact: true }).count()).toBe(6);
  expect(problems).toEqual([]);
  await context.close();
});

test('without a purchase it says so, and what to do', async () => {
  const other = await dashboard.service.newApplication();
  const owner = await newDashboardUser({ ...dashboard.service, application: other }, 'owner');
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: `/apps/${other.id}/revenue` });
  await page.getByText('No purchases with a price yet').waitFor();
  expect([await violationsOf(page), problems]).toEqual([[], []]);
  await page.getByRole('link', { name: 'See all transactions' }).click();
  await page.getByText('No transactions yet').waitFor();
  expect([await violationsOf(page), problems]).toEqual([[], []]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...viewer, path: `${path}?${range}&by=PRODUCT` });
    await page.getByRole('region', { name: 'Revenue by product' }).waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await page.getByText('Table', { exact: true }).click();
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0]);
    await context.close();
  });
});
