// Service tokens and the organization in a browser: a token is shown once and works until it is revoked.
import { askAdmin } from '../../../../test/support/adminClient.ts';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  violationsOf,
  waitForValue,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';

let dashboard: DashboardTest;
let owner: Awaited<ReturnType<typeof newDashboardUser>>;
beforeAll(async () => {
  dashboard = await startDashboard();
  owner = await newDashboardUser(dashboard.service, 'owner');
});
afterAll(() => dashboard.stop());

test('an owner creates a token for one application, copies it once, and revokes it', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: '/service-tokens' });
  await page.getByText('No service tokens yet').waitFor();
  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByLabel('Name').fill('Shop server');
  await page.getByLabel('These applications only').check();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Choose at least one application.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const token = await page.getByText(/^svc_/).innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'Shop server' }).waitFor();
  const ask = async () => await askAdmin(dashboard.service.url, { query: '{ applications { id } }', token });
  expect((await ask()).data).toEqual({ applications: [{ id: dashboard.service.application.id }] });
  expect(await page.content()).not.toContain(token);

  await page.getByRole('button', { name: 'Revoke Shop server' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('“Shop server” is revoked.').waitFor();
  await page.getByText('No service tokens yet').waitFor();
  expect((await ask()).status).toBe(401);
  expect(problems).toEqual([]);
  await context.close();
});

test('an owner renames the organization, others read who can, and both screens open everywhere', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: '/organization' });
  await page.getByLabel('Name', { exact: true }).fill('  New name ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await waitForValue(page.getByLabel('Name', { exact: true }), 'New name');
  await page.getByRole('navigation').getByText('New name').waitFor();
  await context.close();
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  const seen = { path: '/organization', seen: 'Owners can edit the organization.' };
  await expectOpensEverywhere(dashboard, { ...seen, login: viewer });
  await expectOpensEverywhere(dashboard, { path: '/service-tokens', login: owner, seen: 'No service tokens yet' });
});
