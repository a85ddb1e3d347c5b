// The entitlements in a browser: who owns what, in words that say why a line is not active, and the way to its user.
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
import { storeHolder, storeLine, storeTransaction } from '../../../../test/support/storedLines.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
const [device, user] = [`"جهاز" / ${'d'.repeat(240)}`, `kunde & söhne ${'u'.repeat(240)}`];
const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);

beforeAll(async () => {
  dashboard = await startDashboard();
  const { service } = dashboard;
  const { id } = service.application;
  await service.database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
  viewer = await newDashboardUser(service, 'viewer');
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
  path = `/apps/${id}/entitlements`;
});
afterAll(() => dashboard.stop());

const caption = 'Entitlements, newest first';

test('lines say their state in words, filters are in the URL, and a line opens with its transactions', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
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
  const { data } = await viewer.ask(
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
  expect(problems).toEqual([]);
  await context.close();
});

test('the device of a line opens from it, and filters that fit nothing say so', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path: `${path}?user=nobody&active=false` });
  await page.getByText('No entitlement fits the filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('cell', { name: device }).getByRole('link').click();
  await page.waitForURL(/\/device\?/);
  expect(new URL(page.url()).searchParams.get('id')).toBe(device);
  expect(problems).toEqual([]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...viewer, path });
    await page.getByText('6 entitlements', { exact: true }).waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await page.getByRole('button', { name: 'Open line runs' }).click();
    await page.getByRole('dialog', { name: 'Entitlement' }).getByText('Transactions (2)').waitFor();
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0]);
    await context.close();
  });
});
