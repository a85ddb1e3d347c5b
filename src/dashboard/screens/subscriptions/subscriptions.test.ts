// The subscriptions in a browser: the figures of an instant are those of the API, in the application's zone.
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
  await storeLines(database.pool, id, exampleLines());
  path = `/apps/${id}/subscriptions`;
});
afterAll(() => dashboard.stop());

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
  return (await viewer.ask(question, variables)).data!['subscriptions'] as Asked;
}

const shown = ({ active, trials, inGrace, inRetry }: Asked): Record<string, string> => ({
  Active: String(active),
  'In a free trial': String(trials),
  'In grace': String(inGrace),
  'In billing retry': String(inRetry),
});

test('the figures are those of the API at the instant of the URL, and the typed time is one of the zone', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path: `${path}?at=2026-03-31T10:00:00.000Z` });
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
  expect(problems).toEqual([]);
  await context.close();
});

test('an instant that has not come is refused in words', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path: `${path}?at=2999-03-31T10:00:00.000Z` });
  await page.getByRole('alert').getByText('future').waitFor();
  await page.getByRole('button', { name: 'Now' }).click();
  await page.getByText('30 days before. As of').waitFor();
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...viewer, path: `${path}?at=2026-03-31T10:00:00.000Z` });
    await page.getByRole('region', { name: 'Monthly revenue by currency' }).waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
