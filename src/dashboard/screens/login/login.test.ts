// The pages before the login in a browser: sign-up, confirmation, forgotten password, and invitations in each way.
import type { Page } from 'playwright-core';
import { newEmailToken, newPasswordToken } from '../../../../test/support/mail.ts';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  startDashboard,
  violationsOf,
  widths,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';
import { newInvitation, newOrganization, organizationOf } from '../../../../test/support/testUsers.ts';

const password = 'a fine phrase of somebody new';
let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard({ signup: 'open' });
});
afterAll(() => dashboard.stop());

const go = (page: Page, path: string) => page.goto(`${dashboard.service.url}/admin${path}`);

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
  const { page, problems, context } = await openDashboard(dashboard.browser);
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
  const token = await newEmailToken(dashboard.service, { id }, { email: 'nora@example.com', purpose: 'confirmation' });
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
  expect(problems).toEqual([]);
  await context.close();
});

test('an invitation is accepted with a new password, with an account, and by a user who is logged in', async () => {
  const { service, browser } = dashboard;
  const { page, problems, context } = await openDashboard(browser);
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
  expect(problems).toEqual([]);
  await context.close();
});

test('an account without an organization accepts an invitation by its login, or makes an organization', async () => {
  const { service, browser } = dashboard;
  const user = await newDashboardUser(service, 'viewer');
  await service.database.prisma.membership.deleteMany({ where: { userId: user.id } });
  const { page, context } = await openDashboard(browser);
  await go(page, `/accept-invitation?token=${await invite(user.email)}`);
  await page.getByText('With my account').click();
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Log in and join' }).click();
  await page.getByRole('button', { name: 'The viewer' }).waitFor();
  await context.close();

  await service.database.prisma.membership.deleteMany({ where: { userId: user.id } });
  const second = await openDashboard(browser);
  await go(second.page, '/login');
  await second.page.getByLabel('E-mail address').fill(user.email);
  await second.page.getByLabel('Password', { exact: true }).fill(user.password);
  await second.page.keyboard.press('Enter');
  await second.page.getByLabel('Name of the organization').fill('Founded');
  await second.page.keyboard.press('Enter');
  await second.page.getByRole('navigation').getByText('Founded').waitFor();
  await second.context.close();
});

test('each page opens everywhere, and goes where it should from a login', async () => {
  const pages = {
    '/login': 'Forgot your password?',
    '/signup': 'Log in instead',
    '/accept-invitation?token=x': 'With my account',
  };
  for (const [path, seen] of Object.entries(pages)) await expectOpensEverywhere(dashboard, { path, seen });
  const { page, context } = await openDashboard(dashboard.browser);
  const user = await newDashboardUser(dashboard.service, 'viewer');
  await logIn(page, dashboard.service.url, { ...user, path: '//example.com/elsewhere' });
  expect(new URL(page.url()).origin).toBe(dashboard.service.url);
  await context.close();
});
