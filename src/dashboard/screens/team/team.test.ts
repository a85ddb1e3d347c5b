// The team in a browser: invites, edits and removes members, says why the last owner stays, and who may do what.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  violationsOf,
  waitForFocus,
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

async function members(): Promise<Record<string, unknown>[]> {
  const { data } = await owner.ask('{ organization { users { email role status } } }');
  return (data as { organization: { users: Record<string, unknown>[] } }).organization.users;
}

test('an owner invites, edits and removes a member, and stays the last owner', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: '/team' });
  await page.getByRole('button', { name: 'Invite a member' }).click();
  await page.getByLabel('E-mail address').fill('not an address');
  await page.getByRole('dialog').getByLabel('Role').selectOption('editor');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText('must be an e-mail address').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel('E-mail address').fill('ed@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('An invitation to ed@example.com is on its way.').waitFor();
  const row = page.getByRole('row', { name: 'ed@example.com' });
  await row.getByText('Invited, until ').waitFor();
  expect(await members()).toContainEqual({ email: 'ed@example.com', role: 'editor', status: 'invited' });

  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Role').selectOption('admin');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Admin').waitFor();
  // The focus is back at the button that opened the dialog.
  await waitForFocus(row.getByRole('button', { name: 'Edit' }));
  await row.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await page.getByText('An invitation to ed@example.com is on its way.').waitFor();

  await page.getByRole('button', { name: 'Edit The owner' }).click();
  await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The organization needs at least one active owner.').waitFor();
  await page.keyboard.press('Escape');

  await row.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('The invitation of ed@example.com is withdrawn.').waitFor();
  await row.waitFor({ state: 'detached' });
  expect(await members()).toEqual([{ email: owner.email, role: 'owner', status: 'active' }]);

  await page.getByLabel('Search by name or address').fill('nobody');
  await page.getByText('No member fits').waitFor();
  await page.waitForURL(/q=nobody/);
  expect(problems).toEqual([]);
  await context.close();
});

test('a viewer reads the team and why nothing more, an admin does not edit owners, and it opens everywhere', async () => {
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  await expectOpensEverywhere(dashboard, {
    path: '/team',
    login: viewer,
    seen: 'Admins and owners can invite and edit members.',
  });
  const admin = await newDashboardUser(dashboard.service, 'admin');
  await expectOpensEverywhere(dashboard, { path: '/team', login: admin, seen: 'Owners can edit owners.' });
});
