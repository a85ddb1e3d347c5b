// The quotas on the overview in a browser: use and refusals as the API has them, where the service has quotas.
import { randomUUID } from 'node:crypto';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  rowsOf,
  startDashboard,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';
import { count, size } from '../../parts/figures.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard({ quota: { bytes: 1_048_576, devices: 2, signedBytes: 1_048_576 } });
  viewer = await newDashboardUser(dashboard.service, 'viewer');
  path = `/apps/${dashboard.service.application.id}/overview`;
});
afterAll(() => dashboard.stop());

async function purchase(): Promise<number> {
  const { client, application } = dashboard.service;
  const body = { device: { id: randomUUID() }, transactions: [{ id: randomUUID() }] };
  return (await client.send('reportStoreTransactions', { 'X-Api-Key': application.key.public }, body)).status;
}

test('shows what the API says of use and refusals, at both widths and in both schemes', async () => {
  expect([await purchase(), await purchase(), await purchase()]).toEqual([200, 200, 503]);
  await dashboard.service.deps.quotas.flush();
  const asked = '{ applications { ingestQuotas { operation signed bytes newDevices refused refusedInDay } } }';
  const { data } = await viewer.ask(asked);
  const [{ ingestQuotas }] = data!['applications'] as [{ ingestQuotas: Record<string, number>[] }];
  const purchases = ingestQuotas.at(-2)!;
  expect(purchases).toMatchObject({
    operation: 'reportStoreTransactions',
    newDevices: 2,
    refused: 1,
    refusedInDay: 1,
  });

  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByRole('heading', { name: 'Quotas' }).waitFor();
  const none = ['0 B of 1 MiB', '0 of 2', '0', '0'];
  expect(await rowsOf(page, 'Use of the quotas in this hour, by the kind of request')).toEqual([
    ['Sessions', ...none],
    ['Attribution', ...none],
    ['Purchases', `${size(purchases['bytes']!)} of 1 MiB`, `${count(2)} of 2`, '1', '1'],
    ['Signed sessions', '0 B of 1 MiB', '', '0', '0'],
  ]);
  expect(problems).toEqual([]);
  await context.close();
  await expectOpensEverywhere(dashboard, { path, login: viewer, seen: 'devices keep what was refused' });
});
