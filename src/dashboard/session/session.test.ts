// Logins in a browser: the pages before the login, the end of a session while somebody types, several tabs, and a role that changes.
import type { Page } from 'playwright-core';
import {
  newDashboardUser,
  overflowOf,
  useDashboard,
  violationsOf,
  widths,
} from '../../../test/support/dashboardPage.ts';
import { newEmailToken, newPasswordToken } from '../../../test/support/mail.ts';
import { expectOpensEverywhere } from '../../../test/support/opensEverywhere.ts';
import { newInvitation, newOrganization, organizationOf, putMembership } from '../../../test/support/testUsers.ts';

const { useWorkspace } = useDashboard({ signup: 'open' });

// The pages before the login in a browser: sign-up, confirmation, forgotten password, and invitations in each way.
describe('login', () => {
  const password = 'a fine phrase of somebody new';
  const dashboard = useWorkspace('owner');

  const go = (page: Page, path: string) => page.goto(dashboard.urlOf(path));

  async function invite(email: string): Promise<string> {
    const { service } = dashboard;
    await newInvitation(service, await organizationOf(service, service.application.id), { email });
    return await newPasswordToken(service, email, 'invitation');
  }

  async function setPassword(page: Page): Promise<void> {
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByLabel('The same password again').fill(password);
    await page.getByRole('button', { name: 'Set the password' }).click();
  }

  test('somebody signs up, confirms the address, and sets a new password by mail', async () => {
    const { page } = await dashboard.newPage();
    const taken = await newDashboardUser(dashboard.service, 'viewer');
    await go(page, '/signup');
    await page.getByLabel('Your name').fill('Nora');
    await page.getByLabel('Organization').fill('Nora and company');
    await page.getByLabel('E-mail address').fill(taken.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('This address has an account already.').waitFor();
    await page.getByLabel('E-mail address').fill('nora@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('navigation').getByText('Nora and company').waitFor();

    const { id } = await dashboard.service.database.prisma.user.findFirstOrThrow({ where: { name: 'Nora' } });
    const token = await newEmailToken(
      dashboard.service,
      { id },
      { email: 'nora@example.com', purpose: 'confirmation' },
    );
    await go(page, `/confirm-email?token=${token}`);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Your address is confirmed.').waitFor();
    expect(page.url()).not.toContain(token);

    await go(page, '/forgot-password');
    await page.getByLabel('E-mail address').fill('nora@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('a mail with a link is on its way').waitFor();
    await go(page, `/reset-password?token=${await newPasswordToken(dashboard.service, 'nora@example.com')}`);
    await setPassword(page);
    await page
      .getByRole('button', { name: 'Log in' })
      .or(page.getByRole('link', { name: 'Log in' }))
      .first()
      .waitFor();
    await page.getByText('Your new password holds.').waitFor();
    await go(page, '/reset-password?token=used');
    await setPassword(page);
    await page.getByText('This link has expired or was used before.').waitFor();
    await page.getByRole('link', { name: 'Ask for another mail' }).click();
    await page.waitForURL(/forgot-password/);
  });

  test('an invitation is accepted with a new password, with an account, and by a user who is logged in', async () => {
    const { service } = dashboard;
    const { page } = await dashboard.newPage();
    await go(page, `/accept-invitation?token=${await invite('new@example.com')}`);
    await setPassword(page);
    await page.getByText('You have joined.').waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('E-mail address').fill('new@example.com');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'new@example.com' }).waitFor();

    // The same user, logged in, joins another organization.
    const organizationId = await newOrganization(service, 'Another one');
    await newInvitation(service, organizationId, { email: 'new@example.com' });
    const invited = await newPasswordToken(service, 'new@example.com', 'invitation');
    await go(page, `/accept-invitation?token=${invited}`);
    await page.getByText('You are logged in as new@example.com.').waitFor();
    for (const viewport of [...widths].reverse()) {
      await page.setViewportSize(viewport);
      const cut = `[...document.querySelectorAll('[role=radiogroup] label')].filter(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length`;
      expect([await page.evaluate(cut), await overflowOf(page), await violationsOf(page)]).toEqual([0, 0, []]);
    }
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('navigation').getByText('Another one').waitFor();
    // An invitation of somebody else.
    await go(page, `/accept-invitation?token=${await invite('else@example.com')}`);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('This invitation cannot be accepted here.').waitFor();
  });

  test('an account without an organization accepts an invitation by its login, or makes an organization', async () => {
    const { service } = dashboard;
    const user = await newDashboardUser(service, 'viewer');
    await service.database.prisma.membership.deleteMany({ where: { userId: user.id } });
    const { page, context } = await dashboard.newPage();
    await go(page, `/accept-invitation?token=${await invite(user.email)}`);
    await page.getByText('With my account').click();
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(user.password);
    await page.getByRole('button', { name: 'Log in and join' }).click();
    await page.getByRole('button', { name: 'The viewer' }).waitFor();
    await context.close();

    await service.database.prisma.membership.deleteMany({ where: { userId: user.id } });
    const second = await dashboard.newPage();
    await go(second.page, '/login');
    await second.page.getByLabel('E-mail address').fill(user.email);
    await second.page.getByLabel('Password', { exact: true }).fill(user.password);
    await second.page.keyboard.press('Enter');
    await second.page.getByLabel('Name of the organization').fill('Founded');
    await second.page.keyboard.press('Enter');
    await second.page.getByRole('navigation').getByText('Founded').waitFor();
  });

  test('each page opens everywhere, and goes where it should from a login', async () => {
    const pages = {
      '/login': 'Forgot your password?',
      '/signup': 'Log in instead',
      '/accept-invitation?token=x': 'With my account',
    };
    for (const [path, seen] of Object.entries(pages))
      await expectOpensEverywhere(dashboard, { path, login: null, seen });
    const user = await newDashboardUser(dashboard.service, 'viewer');
    const { page } = await dashboard.open('//example.com/elsewhere', { as: user });
    expect(new URL(page.url()).origin).toBe(dashboard.service.url);
  });
});

// Sessions in a browser: the end of one while somebody types, several tabs, and a role that changes.
describe('session', () => {
  const dashboard = useWorkspace('owner');

  /** As a user does on another device: ends every login but that of the test's own token. */
  async function endLogins(): Promise<void> {
    expect((await dashboard.user.ask('mutation { logoutEverywhere }')).errors).toEqual([]);
  }

  /** What the browser says where the service refuses the tokens. */
  const refused = /status of 401/;

  test('a session that ends while somebody types: log in above the page, and the form is sent', async () => {
    const { page, expected } = await dashboard.open('/team');
    expected.push(refused);
    // The page has read all that it shows: only the form is refused.
    await page.getByRole('row', { name: dashboard.user.email }).waitFor();
    await page.getByRole('button', { name: 'Invite a member' }).click();
    await page.getByLabel('E-mail address').fill('typed@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Typed before');
    await endLogins();
    // The user went to a second organization meanwhile: a login begins there.
    const { data } = await dashboard.user.ask(
      'mutation { organizationCreate(input: { name: "Elsewhere" }) { token } }',
    );
    expect(data).toHaveProperty('organizationCreate');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();

    const again = page.getByRole('dialog', { name: 'Log in again' });
    await again.waitFor();
    expect(await again.getByLabel('E-mail address').inputValue()).toBe(dashboard.user.email);
    expect(await violationsOf(page)).toEqual([]);
    await again.getByLabel('Password', { exact: true }).fill('wrong');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await again.getByText('The e-mail address or the password is wrong.').waitFor();
    await again.getByLabel('Password', { exact: true }).fill(dashboard.user.password);
    await page.keyboard.press('Enter');
    // In the organization of the page, and without another press of the button.
    await page.getByText('An invitation to typed@example.com is on its way.').waitFor();
    await page.getByRole('row', { name: 'Typed before' }).waitFor();
  });

  test('a second tab takes the session over, and a logout, an end and a login count in both', async () => {
    const user = await newDashboardUser(dashboard.service, 'viewer');
    const { page, context, expected } = await dashboard.open('/team', { as: user });
    expected.push(refused);
    const second = await context.newPage();
    await second.goto(dashboard.urlOf('/profile'));
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
  });

  test('a second tab takes the session of a tab that is slow to respond, although it is at its login page already', async () => {
    const user = await newDashboardUser(dashboard.service, 'viewer');
    const { page, context } = await dashboard.open('/team', { as: user });
    await page.evaluate(() => {
      const send = BroadcastChannel.prototype.postMessage;
      const released = new Promise<void>((resolve) => Object.assign(globalThis, { release: resolve }));
      BroadcastChannel.prototype.postMessage = function (message) {
        void released.then(() => send.call(this, message));
      };
    });
    const second = await context.newPage();
    await second.goto(dashboard.urlOf('/profile'));
    await second.waitForURL(/\/login/);
    await page.evaluate('release()');
    await second.getByText(user.email).first().waitFor();
  });

  test('a reload after the end lands on the login page, and comes back', async () => {
    const user = await newDashboardUser(dashboard.service, 'viewer');
    const { page, expected } = await dashboard.open('/team?q=the', { as: user });
    expected.push(refused);
    await page.getByText('The viewer').first().waitFor();
    await user.ask('mutation { logoutEverywhere }');
    await page.reload();
    await page.waitForURL(/\/login\?next=/);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(user.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/team\?q=the$/);
  });

  test('a role that somebody lowers counts on the page with the next refusal', async () => {
    const admin = await newDashboardUser(dashboard.service, 'admin');
    const { page } = await dashboard.open('/team', { as: admin });
    await page.getByRole('button', { name: 'Invite a member' }).click();
    await page.getByLabel('E-mail address').fill('late@example.com');
    await putMembership(dashboard.service, admin, { role: 'viewer' });
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('Your role may not do this.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Admins and owners can invite and edit members.').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).waitFor({ state: 'detached' });
  });
});
