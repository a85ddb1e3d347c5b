// The settings of an application in a browser: edited field by field, read by everybody, and the deletion.
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

const strange = 'device/1 "quoted" שלום';
let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = await newDashboardUser(dashboard.service, 'admin');
  path = `/apps/${dashboard.service.application.id}/settings`;
});
afterAll(() => dashboard.stop());

async function stored(): Promise<unknown> {
  const { data } = await admin.ask('{ applications { name bundleId timeZone entitlementPolicy testDevices } }');
  return (data!['applications'] as unknown[])[0];
}

async function edit(input: Record<string, unknown>): Promise<void> {
  const mutation = 'mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) { id } }';
  const { errors } = await admin.ask(mutation, { input: { id: dashboard.service.application.id, ...input } });
  expect(errors).toEqual([]);
}

test('an admin edits fields, and what a colleague changed meanwhile stays', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path });
  await page.getByLabel('Name', { exact: true }).fill('Renamed here');
  await edit({ bundleId: 'com.example.colleague' });
  await page.getByRole('combobox', { name: 'Time zone' }).fill('europe/berlin');
  await page.getByRole('radio', { name: 'Share' }).check();
  await page.getByRole('textbox', { name: 'Test devices' }).fill(`${strange}\n`);
  await page.getByRole('textbox', { name: 'Test devices' }).pressSequentially('iPhone15,2, "a, b"');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await waitForValue(page.getByRole('combobox', { name: 'Time zone' }), 'Europe/Berlin');
  await waitForValue(page.getByLabel('Bundle or package identifier'), 'com.example.colleague');
  expect(await stored()).toEqual({
    ...{ name: 'Renamed here', bundleId: 'com.example.colleague', timeZone: 'Europe/Berlin' },
    ...{ entitlementPolicy: 'SHARE', testDevices: [strange, 'iPhone15,2', 'a, b'] },
  });
  // The frame names the application anew.
  await page.getByRole('option', { name: 'Renamed here (iOS)' }).waitFor({ state: 'attached' });

  await page.getByLabel('Name', { exact: true }).fill(' ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByText('Saved.').waitFor({ state: 'detached' });
  expect([await violationsOf(page), problems]).toEqual([[], []]);
  await context.close();
});

test('a viewer reads the settings, and both roles open it everywhere', async () => {
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  await edit({ name: 'W'.repeat(256), testDevices: ['x'.repeat(256), strange] });
  await expectOpensEverywhere(dashboard, { path, login: viewer, seen: 'Admins and owners can edit an application.' });
  await expectOpensEverywhere(dashboard, { path, login: viewer, seen: strange });
  await expectOpensEverywhere(dashboard, { path, login: admin, seen: 'Delete …' });
});

test('an admin deletes the application by typing its name', async () => {
  await edit({ name: 'Old one' });
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path });
  await page.getByRole('button', { name: 'Delete …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Old one' });
  await dialog.getByRole('textbox').fill('Old one');
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete the application' }).click();
  await page.waitForURL(/\/applications$/);
  await page.getByText('No applications yet').waitFor();
  expect([await stored(), problems]).toEqual([undefined, []]);
  await context.close();
});
