// The organization in a browser: its applications, their settings, team, service tokens, audit log, and a user's own profile.
import type { Page } from 'playwright-core';
import { askAdmin } from '../../../test/support/adminClient.ts';
import {
  newDashboardUser,
  overflowOf,
  useDashboard,
  violationsOf,
  waitForFocus,
  waitForValue,
  type DashboardLogin,
} from '../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../test/support/opensEverywhere.ts';
import { newOrganization, newUser, type TestUser } from '../../../test/support/testUsers.ts';

const { useWorkspace } = useDashboard();

// Projects and applications in a browser: somebody new makes the first one, and an admin makes, renames and deletes others.
describe('applications', () => {
  const dashboard = useWorkspace('admin');

  async function newOwner(): Promise<TestUser & DashboardLogin> {
    const { service } = dashboard;
    const { prisma } = service.database;
    const owner = await newUser(service, await newOrganization(service, 'Empty'), 'owner');
    // The password of the admin.
    const { passwordHash } = await prisma.user.findUniqueOrThrow({ where: { id: dashboard.user.id } });
    await prisma.user.update({ where: { id: owner.id }, data: { passwordHash } });
    return { ...owner, password: dashboard.user.password };
  }

  async function projects(user: TestUser): Promise<unknown> {
    const { data } = await user.ask('{ projects { name applications { name bundleId platform timeZone } } }');
    return data!['projects'];
  }

  test('somebody new makes a project with an application, and lands where its first event is waited for', async () => {
    const owner = await newOwner();
    await expectOpensEverywhere(dashboard, { path: '/', login: owner, seen: 'Create your first application' });
    const { page } = await dashboard.open('/', { as: owner });
    await page.waitForURL(/\/applications$/);
    await waitForValue(page.getByLabel('Project'), 'Empty');
    await page.getByRole('button', { name: 'Create the application' }).click();
    await page.getByText('Enter a name.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('Shop for phones');
    await page.getByLabel('Bundle or package identifier').fill('com.example.shop');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Nowhere/At all');
    await page.getByRole('button', { name: 'Create the application' }).click();
    await page.getByText('must be a name of the IANA time zone database').waitFor();
    // The project is there by now: the second try makes no second one.
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await page.getByRole('button', { name: 'Create the application' }).click();
    await page.waitForURL(/\/first-event$/);
    await page.getByText('Waiting for your first event …').waitFor();
    const application = { name: 'Shop for phones', bundleId: 'com.example.shop' };
    expect(await projects(owner)).toEqual([
      { name: 'Empty', applications: [{ ...application, platform: 'iOS', timeZone: 'Europe/Berlin' }] },
    ]);
  });

  test('an admin makes a project, renames it, adds an application, and deletes it by typing its name', async () => {
    const { page } = await dashboard.open('/applications');
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Games');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Rename: Games' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Board games');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Board games' }).waitFor();
    await page.getByRole('button', { name: 'New application: Board games' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('Chess');
    await page.getByLabel('Bundle or package identifier').fill('com.example.chess');
    await page.getByLabel('Platform').selectOption('Android');
    await page.getByRole('button', { name: 'Create the application' }).click();
    await page.waitForURL(/\/first-event$/);
    await page.getByRole('navigation').getByRole('link', { name: 'Applications' }).click();
    await page.getByRole('row', { name: 'Chess Android com.example.chess' }).waitFor();

    await page.getByRole('button', { name: 'Delete: Board games' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The project goes with its application.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete the project' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Board games');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Board games' }).waitFor({ state: 'detached' });
    expect(await projects(dashboard.user)).toMatchObject([
      { name: 'A project', applications: [{ name: 'An application' }] },
    ]);
  });

  test('a viewer reads who can edit, and names of 256 characters widen no page', async () => {
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    const name = 'W'.repeat(256);
    await dashboard.user.ask('mutation P($name: String!) { projectEdit(input: { name: $name }) { id } }', { name });
    const seen = 'Admins and owners can create, edit and delete projects and applications.';
    await expectOpensEverywhere(dashboard, { path: '/applications', login: viewer, seen });
    await expectOpensEverywhere(dashboard, { path: '/applications', seen: name });
  });
});

// The settings of an application in a browser: edited field by field, read by everybody, and the deletion.
describe('settings', () => {
  const strange = 'device/1 "quoted" שלום';
  const dashboard = useWorkspace('admin');

  async function stored(): Promise<unknown> {
    const { data } = await dashboard.user.ask(
      '{ applications { name bundleId timeZone entitlementPolicy testDevices } }',
    );
    return (data!['applications'] as unknown[])[0];
  }

  async function edit(input: Record<string, unknown>): Promise<void> {
    const mutation = 'mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) { id } }';
    const { errors } = await dashboard.user.ask(mutation, {
      input: { id: dashboard.service.application.id, ...input },
    });
    expect(errors).toEqual([]);
  }

  test('an admin edits fields, and what a colleague changed meanwhile stays', async () => {
    const { page } = await dashboard.open('settings');
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
    expect(await violationsOf(page)).toEqual([]);
  });

  test('a viewer reads the settings, and both roles open it everywhere', async () => {
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    await edit({ name: 'W'.repeat(256), testDevices: ['x'.repeat(256), strange] });
    await expectOpensEverywhere(dashboard, {
      path: 'settings',
      login: viewer,
      seen: 'Admins and owners can edit an application.',
    });
    await expectOpensEverywhere(dashboard, { path: 'settings', login: viewer, seen: strange });
    await expectOpensEverywhere(dashboard, { path: 'settings', seen: 'Delete …' });
  });

  test('an admin deletes the application by typing its name', async () => {
    await edit({ name: 'Old one' });
    const { page } = await dashboard.open('settings');
    await page.getByRole('button', { name: 'Delete …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Old one' });
    await dialog.getByRole('textbox').fill('Old one');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete the application' }).click();
    await page.waitForURL(/\/applications$/);
    await page.getByText('No applications yet').waitFor();
    expect(await stored()).toBeUndefined();
  });
});

// The team in a browser: invites, edits and removes members, says why the last owner stays, and who may do what.
describe('team', () => {
  const dashboard = useWorkspace('owner');

  async function members(): Promise<Record<string, unknown>[]> {
    const { data } = await dashboard.user.ask('{ organization { users { email role status } } }');
    return (data as { organization: { users: Record<string, unknown>[] } }).organization.users;
  }

  test('an owner invites, edits and removes a member, and stays the last owner', async () => {
    const { page } = await dashboard.open('/team');
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
    expect(await members()).toEqual([{ email: dashboard.user.email, role: 'owner', status: 'active' }]);

    await page.getByLabel('Search by name or address').fill('nobody');
    await page.getByText('No member fits').waitFor();
    await page.waitForURL(/q=nobody/);
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
});

// Service tokens and the organization in a browser: a token is shown once and works until it is revoked.
describe('serviceTokens', () => {
  const dashboard = useWorkspace('owner');

  test('an owner creates a token for one application, copies it once, and revokes it', async () => {
    const { page } = await dashboard.open('/service-tokens');
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
  });

  test('an owner renames the organization, others read who can, and both screens open everywhere', async () => {
    const { page } = await dashboard.open('/organization');
    await page.getByLabel('Name', { exact: true }).fill('  New name ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await waitForValue(page.getByLabel('Name', { exact: true }), 'New name');
    await page.getByRole('navigation').getByText('New name').waitFor();
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    const seen = { path: '/organization', seen: 'Owners can edit the organization.' };
    await expectOpensEverywhere(dashboard, { ...seen, login: viewer });
    await expectOpensEverywhere(dashboard, { path: '/service-tokens', seen: 'No service tokens yet' });
  });
});

// The profile in a browser: name, address, password, logins, organizations and the end of the account.
describe('profile', () => {
  const dashboard = useWorkspace('owner');

  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('a user changes name and address, ends other logins, and changes the password', async () => {
    const user = await newDashboardUser(dashboard.service, 'viewer');
    const { page } = await dashboard.open('/profile', { as: user });
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
  });

  test('a user creates an organization, switches and leaves, and the last owner stays', async () => {
    const { page } = await dashboard.open('/profile');
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
    await expectOpensEverywhere(dashboard, { path: '/profile', seen: 'Network address' });
  });
});

// The audit log in a browser: its entries are those of the API, filters and pages are in the URL, and a role may not read it.
describe('audit', () => {
  const dashboard = useWorkspace('owner');
  beforeAll(async () => {
    for (let number = 1; number <= 60; number += 1)
      await dashboard.user.ask('mutation ($name: String!) { organizationEdit(input: { name: $name }) { id } }', {
        name: number === 60 ? 'x'.repeat(256) : `Name ${number}`,
      });
    await dashboard.user.ask('mutation { userInvite(input: { email: "ed@example.com", role: "viewer" }) { email } }');
  });

  test('it shows what the API says, page by page, and narrows it by the URL', async () => {
    const { page } = await dashboard.open('/audit');
    await page.getByRole('cell', { name: 'invited a member' }).waitFor();
    const { data } = await dashboard.user.ask('{ auditLog(limit: 50) { at action } }');
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
  });

  test('it opens everywhere, and an editor reads who can read it', async () => {
    await expectOpensEverywhere(dashboard, { path: '/audit', seen: 'role: viewer; status: invited' });
    const editor = await newDashboardUser(dashboard.service, 'editor');
    const seen = 'Admins and owners can read the audit log.';
    await expectOpensEverywhere(dashboard, { path: '/audit', login: editor, seen });
  });
});
