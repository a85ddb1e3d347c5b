// Keys in a browser: created, labelled, its secret read once and recorded, watched and revoked.
import { auditLines } from '../../../../test/support/auditLines.ts';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  stopClock,
  violationsOf,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';
import { aReport } from '../../../../test/support/uploads.ts';

let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = await newDashboardUser(dashboard.service, 'admin');
  path = `/apps/${dashboard.service.application.id}/keys`;
});
afterAll(() => dashboard.stop());

interface Key {
  public: string;
  label: string | null;
  secret: string;
  revokedAt: string | null;
}

async function keys(): Promise<Key[]> {
  const { data } = await admin.ask(
    '{ applications { apiKeys(includeRevoked: true) { public label secret revokedAt } } }',
  );
  return (data!['applications'] as { apiKeys: Key[] }[])[0]!.apiKeys;
}

const actions = async () =>
  (await auditLines(dashboard.service, admin.organizationId)).map(({ action, objectId }) => `${action} ${objectId}`);

test('an admin creates a key, reads its secret alone, labels it and revokes the old one', async () => {
  const { service, browser } = dashboard;
  const { page, problems, context } = await openDashboard(browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const old = service.application.key.public;
  expect((await service.client.send('reportSessions', { 'X-Api-Key': old }, aReport())).status).toBe(200);
  await service.deps.keyUses.stop();
  await logIn(page, service.url, { ...admin, path });
  await page
    .getByRole('row', { name: old })
    .getByText(/now|(second|minute)s? ago/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Label' }).fill('Release 4.2');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Key pair' });
  const created = await dialog.getByText(/^pub_/).innerText();
  expect(await actions()).toEqual([`apiKeyCreate ${created}`]);
  await dialog.getByRole('button', { name: 'Show the secret' }).click();
  const secret = await dialog.getByText(/^sec_/).innerText();
  expect(await violationsOf(page)).toEqual([]);
  await stopClock(page);
  await dialog.getByRole('button', { name: 'Copy the secret key' }).click();
  await dialog.getByRole('button', { name: 'Copied: the secret key' }).waitFor();
  await page.clock.resume();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  // One line for the one key: the secrets of the others stay unread.
  expect(await actions()).toEqual([`apiKeyCreate ${created}`, `apiKeyReveal ${created}`]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'Release 4.2' }).getByText('Never').waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.getByRole('button', { name: 'Label …: Release 4.2' }).click();
  await page.getByRole('textbox', { name: 'Label' }).fill('Release 4.3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: 'Release 4.3' }).waitFor();

  await page
    .getByRole('row', { name: old })
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await page.getByText('Within a second the API refuses each request with this key').waitFor();
  await page.getByRole('button', { name: 'Revoke for good' }).click();
  await page.getByText(old).waitFor({ state: 'detached' });
  await page.getByRole('switch', { name: 'Revoked keys too' }).click();
  await page
    .getByRole('row', { name: old })
    .getByText(/^Revoked \d/)
    .waitFor();
  expect(page.url()).toContain('revoked=true');
  expect(await keys()).toMatchObject([
    { public: old, label: null, secret: '', revokedAt: expect.any(String) as string },
    { public: created, label: 'Release 4.3', secret, revokedAt: null },
  ]);
  await page.getByRole('button', { name: 'Revoke …: Release 4.3' }).click();
  await page.getByText('It is the last live key of the application.').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('a viewer reads who can, and labels of 256 characters widen no page', async () => {
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  const seen = 'Admins and owners can read and edit the keys of an application.';
  await expectOpensEverywhere(dashboard, { path, login: viewer, seen });
  const variables = { id: dashboard.service.application.id, label: 'W'.repeat(256) };
  const create =
    'mutation K($id: UUID!, $label: String) { apiKeyCreate(applicationId: $id, label: $label) { public } }';
  await admin.ask(create, variables);
  await expectOpensEverywhere(dashboard, { path: `${path}?revoked=true`, login: admin, seen: variables.label });
});
