// The profile in a browser: name, address, password, logins, organizations and the end of the account.
import type { Page } from 'playwright-core';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  startDashboard,
  violationsOf,
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

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('a user changes name and address, ends other logins, and changes the password', async () => {
  const user = await newDashboardUser(dashboard.service, 'viewer');
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...user, path: '/profile' });
  const name = section(page, 'Name and picture');
  await name.getByLabel('Name').fill('x'.repeat(256));
  await name.getByRole('button', { name: 'Save' }).click();
  await name.getByText('Saved.').waitFor();
  // The head of the page has it at once.
  await page.getByRole('button', { name: 'x'.repeat(256) }).waitFor();
  expect(await overflowOf(page)).toBe(0);

  const address = section(page, 'E-mail address');
  await address.getByLabel('New e-mail address').fill('vera@example.org');
  await address.getByLabel('Your password', { exact: true }).fill('wrong');
  await address.getByRole('button', { name: 'Send the mail' }).click();
  await address.getByText('This is not your password.').waitFor();
  await address.getByLabel('Your password', { exact: true }).fill(user.password);
  await address.getByRole('button', { name: 'Send the mail' }).click();
  await address.getByText('A mail to vera@example.org is on its way.').waitFor();

  const logins = section(page, 'Logins');
  await logins.getByText('This one').waitFor();
  const { data } = await user.ask('{ sessions { id } }');
  const { sessions } = data as { sessions: object[] };
  expect(await logins.getByRole('row').count()).toBe(sessions.length + 1);
  await logins.getByRole('button', { name: 'End all others' }).click();
  const question = page.getByRole('dialog', { name: 'End all other logins' });
  await question.getByText('This login goes on.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  expect((await user.ask('{ me { email } }')).status).toBe(200);
  await logins.getByRole('button', { name: 'End all others' }).click();
  await question.getByRole('button', { name: 'End all others' }).click();
  await logins.getByText('All other logins have ended.').waitFor();
  expect((await user.ask('{ me { email } }')).status).toBe(401);

  const password = section(page, 'Password');
  await password.getByLabel('Current password').fill(user.password);
  await password.getByLabel('New password', { exact: true }).fill('another fine phrase');
  await password.getByLabel('The new password again').fill('another phrase');
  await password.getByRole('button', { name: 'Change the password' }).click();
  await password.getByText('The passwords differ.').waitFor();
  await password.getByLabel('The new password again').fill('another fine phrase');
  await password.getByRole('button', { name: 'Change the password' }).click();
  await password.getByText('Your new password holds.').waitFor();

  await page.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByRole('dialog').getByLabel('Your password', { exact: true }).fill('another fine phrase');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the account' }).click();
  await page.waitForURL(/\/login/);
  expect(problems).toEqual([]);
  await context.close();
});

test('a user creates an organization, switches and leaves, and the last owner stays', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: '/profile' });
  await page.getByRole('button', { name: 'Leave this organization' }).click();
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByText('The organization needs at least one active owner.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Create an organization' }).click();
  await page.getByLabel('Name of the organization').fill('My own');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  // Not before: the page begins anew in the new organization by itself.
  await page.waitForURL((url) => !url.pathname.endsWith('/profile'));
  await page.getByText('My own').first().waitFor();
  await page.goto(`${dashboard.service.url}/admin/profile`);
  await page.getByText('owner of My own').waitFor();
  const there = page.getByRole('button', { name: 'Switch to' });
  await there.click();
  await page.waitForURL((url) => !url.pathname.endsWith('/profile'));
  await page.goto(`${dashboard.service.url}/admin/profile`);
  await page.getByRole('button', { name: 'Switch to My own' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
  await expectOpensEverywhere(dashboard, { path: '/profile', login: owner, seen: 'Network address' });
});
