// The audit log in a browser: its entries are those of the API, filters and pages are in the URL, and a role may not read it.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  waitForValue,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';

let dashboard: DashboardTest;
let owner: Awaited<ReturnType<typeof newDashboardUser>>;
beforeAll(async () => {
  dashboard = await startDashboard();
  owner = await newDashboardUser(dashboard.service, 'owner');
  for (let number = 1; number <= 60; number += 1)
    await owner.ask('mutation ($name: String!) { organizationEdit(input: { name: $name }) { id } }', {
      name: number === 60 ? 'x'.repeat(256) : `Name ${number}`,
    });
  await owner.ask('mutation { userInvite(input: { email: "ed@example.com", role: "viewer" }) { email } }');
});
afterAll(() => dashboard.stop());

test('it shows what the API says, page by page, and narrows it by the URL', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: '/audit' });
  await page.getByRole('cell', { name: 'invited a member' }).waitFor();
  const { data } = await owner.ask('{ auditLog(limit: 50) { at action } }');
  const { auditLog } = data as { auditLog: { at: string; action: string }[] };
  const rows = page.getByRole('row');
  expect(await rows.count()).toBe(auditLog.length + 1);
  const shown = await page.locator('tbody td:nth-child(2)').all();
  const titles = await Promise.all(shown.map((cell) => cell.getAttribute('title')));
  expect(titles).toEqual(auditLog.map(({ action }) => action));
  await page.getByText('name: Name 58 → Name 59').waitFor();
  await page.getByRole('link', { name: 'Older entries' }).click();
  await page.getByText('name: Name 1 → Name 2', { exact: true }).waitFor();
  expect(page.url()).toContain('before=');
  await page.getByRole('link', { name: 'Newest entries' }).click();

  await page.getByLabel('Action').selectOption('userInvite');
  await page.waitForURL(/action=userInvite/);
  await page.reload();
  await page.getByText('role: viewer; status: invited').waitFor();
  expect(await rows.count()).toBe(2);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('link', { name: 'ed@example.com' }).click();
  await page.waitForURL(/objectId=ed/);
  await waitForValue(page.getByLabel('Object', { exact: true }), 'ed@example.com');
  await page.getByLabel('By').fill('nobody@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('No entry fits').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('it opens everywhere, and an editor reads who can read it', async () => {
  await expectOpensEverywhere(dashboard, { path: '/audit', login: owner, seen: 'role: viewer; status: invited' });
  const editor = await newDashboardUser(dashboard.service, 'editor');
  const seen = 'Admins and owners can read the audit log.';
  await expectOpensEverywhere(dashboard, { path: '/audit', login: editor, seen });
});
