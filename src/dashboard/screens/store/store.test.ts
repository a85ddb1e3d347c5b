// The store of an application in a browser: credentials are set, never shown again and cleared; products get a duration.
import { generateKeyPairSync } from 'node:crypto';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  violationsOf,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';

let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
let applicationId: string;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = await newDashboardUser(dashboard.service, 'admin');
  applicationId = dashboard.service.application.id;
  path = `/apps/${applicationId}/store`;
});
afterAll(() => dashboard.stop());

const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

async function stored(): Promise<unknown> {
  const { data } = await admin.ask('{ applications { storeCredentialsSet storeAppId } }');
  return (data!['applications'] as unknown[])[0];
}

test('an admin sets, replaces and clears the credentials, and the number of the app beside them', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path });
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
  expect(problems).toEqual([]);
  await context.close();
});

test('an admin says how long a product lasts', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path });
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
  const { data } = await admin.ask(query, { id: applicationId });
  expect(data!['products']).toEqual([{ productId: 'pass', durationDays: null }]);
  expect(problems).toEqual([]);
  await context.close();
});

test('a viewer reads the state and who can change it, and both roles open it everywhere', async () => {
  const input = { applicationId, productId: 'W'.repeat(256), durationDays: 36_500 };
  await admin.ask('mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId } }', { input });
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  await expectOpensEverywhere(dashboard, {
    path,
    login: viewer,
    seen: 'Admins and owners can set store credentials.',
  });
  await expectOpensEverywhere(dashboard, { path, login: admin, seen: '36,500 days' });
});
