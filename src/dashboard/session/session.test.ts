// Sessions in a browser: the end of one while somebody types, several tabs, and a role that changes.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  violationsOf,
  type DashboardTest,
} from '../../../test/support/dashboardPage.ts';
import { putMembership } from '../../../test/support/testUsers.ts';

let dashboard: DashboardTest;
let owner: Awaited<ReturnType<typeof newDashboardUser>>;
beforeAll(async () => {
  dashboard = await startDashboard();
  owner = await newDashboardUser(dashboard.service, 'owner');
});
afterAll(() => dashboard.stop());

/** As a user does on another device: ends every login but that of the test's own token. */
async function endLogins(): Promise<void> {
  expect((await owner.ask('mutation { logoutEverywhere }')).errors).toEqual([]);
}

test('a session that ends while somebody types: log in above the page, and the form is sent', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: '/team' });
  // The page has read all that it shows: only the form is refused.
  await page.getByRole('row', { name: owner.email }).waitFor();
  await page.getByRole('button', { name: 'Invite a member' }).click();
  await page.getByLabel('E-mail address').fill('typed@example.com');
  await page.getByLabel('Name', { exact: true }).fill('Typed before');
  await endLogins();
  // The user went to a second organization meanwhile: a login begins there.
  const { data } = await owner.ask('mutation { organizationCreate(input: { name: "Elsewhere" }) { token } }');
  expect(data).toHaveProperty('organizationCreate');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();

  const again = page.getByRole('dialog', { name: 'Log in again' });
  await again.waitFor();
  expect(await again.getByLabel('E-mail address').inputValue()).toBe(owner.email);
  expect(await violationsOf(page)).toEqual([]);
  await again.getByLabel('Password', { exact: true }).fill('wrong');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await again.getByText('The e-mail address or the password is wrong.').waitFor();
  await again.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.keyboard.press('Enter');
  // In the organization of the page, and without another press of the button.
  await page.getByText('An invitation to typed@example.com is on its way.').waitFor();
  await page.getByRole('row', { name: 'Typed before' }).waitFor();
  await context.close();
});

test('a second tab takes the session over, and a logout, an end and a login count in both', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  const user = await newDashboardUser(dashboard.service, 'viewer');
  await logIn(page, dashboard.service.url, { ...user, path: '/team' });
  const second = await context.newPage();
  await second.goto(`${dashboard.service.url}/admin/profile`);
  await second.getByText(user.email).first().waitFor();

  // Both tabs see the end, and one login is enough for both.
  await user.ask('mutation { logoutEverywhere }');
  for (const tab of [second, page]) {
    await tab.bringToFront();
    await tab.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await tab.getByRole('dialog', { name: 'Log in again' }).waitFor();
  }
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.keyboard.press('Enter');
  for (const tab of [page, second])
    await tab.getByRole('dialog', { name: 'Log in again' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'The viewer' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await Promise.all([page, second].map((tab) => tab.waitForURL(/\/login/)));
  await second.getByLabel('E-mail address').fill(user.email);
  await second.getByLabel('Password', { exact: true }).fill(user.password);
  await second.keyboard.press('Enter');
  // Each at the page that it showed before.
  await second.waitForURL(/\/profile$/);
  await page.waitForURL(/\/team$/);
  await context.close();
});

test('a second tab takes the session of a tab that is slow to respond, although it is at its login page already', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  const user = await newDashboardUser(dashboard.service, 'viewer');
  await logIn(page, dashboard.service.url, { ...user, path: '/team' });
  await page.evaluate(() => {
    const send = BroadcastChannel.prototype.postMessage;
    const released = new Promise<void>((resolve) => Object.assign(globalThis, { release: resolve }));
    BroadcastChannel.prototype.postMessage = function (message) {
      void released.then(() => send.call(this, message));
    };
  });
  const second = await context.newPage();
  await second.goto(`${dashboard.service.url}/admin/profile`);
  await second.waitForURL(/\/login/);
  await page.evaluate('release()');
  await second.getByText(user.email).first().waitFor();
  await context.close();
});

test('a reload after the end lands on the login page, and comes back', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  const user = await newDashboardUser(dashboard.service, 'viewer');
  await logIn(page, dashboard.service.url, { ...user, path: '/team?q=the' });
  await page.getByText('The viewer').first().waitFor();
  await user.ask('mutation { logoutEverywhere }');
  await page.reload();
  await page.waitForURL(/\/login\?next=/);
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/team\?q=the$/);
  await context.close();
});

test('a role that somebody lowers counts on the page with the next refusal', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  const admin = await newDashboardUser(dashboard.service, 'admin');
  await logIn(page, dashboard.service.url, { ...admin, path: '/team' });
  await page.getByRole('button', { name: 'Invite a member' }).click();
  await page.getByLabel('E-mail address').fill('late@example.com');
  await putMembership(dashboard.service, admin, { role: 'viewer' });
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText('Your role may not do this.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Admins and owners can invite and edit members.').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).waitFor({ state: 'detached' });
  await context.close();
});
