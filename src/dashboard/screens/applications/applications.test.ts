// Projects and applications in a browser: somebody new makes the first one, and an admin makes, renames and deletes others.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  violationsOf,
  waitForValue,
  type DashboardLogin,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';
import { newOrganization, newUser, type TestUser } from '../../../../test/support/testUsers.ts';

let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = await newDashboardUser(dashboard.service, 'admin');
});
afterAll(() => dashboard.stop());

async function newOwner(): Promise<TestUser & DashboardLogin> {
  const { service } = dashboard;
  const { prisma } = service.database;
  const owner = await newUser(service, await newOrganization(service, 'Empty'), 'owner');
  // The password of the admin.
  const { passwordHash } = await prisma.user.findUniqueOrThrow({ where: { id: admin.id } });
  await prisma.user.update({ where: { id: owner.id }, data: { passwordHash } });
  return { ...owner, password: admin.password };
}

async function projects(user: TestUser): Promise<unknown> {
  const { data } = await user.ask('{ projects { name applications { name bundleId platform timeZone } } }');
  return data!['projects'];
}

test('somebody new makes a project with an application, and lands where its first event is waited for', async () => {
  const owner = await newOwner();
  await expectOpensEverywhere(dashboard, { path: '/', login: owner, seen: 'Create your first application' });
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...owner, path: '/' });
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
  expect(problems).toEqual([]);
  await context.close();
});

test('an admin makes a project, renames it, adds an application, and deletes it by typing its name', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path: '/applications' });
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
  expect(await projects(admin)).toMatchObject([{ name: 'A project', applications: [{ name: 'An application' }] }]);
  expect(problems).toEqual([]);
  await context.close();
});

test('a viewer reads who can edit, and names of 256 characters widen no page', async () => {
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  const name = 'W'.repeat(256);
  await admin.ask('mutation P($name: String!) { projectEdit(input: { name: $name }) { id } }', { name });
  const seen = 'Admins and owners can create, edit and delete projects and applications.';
  await expectOpensEverywhere(dashboard, { path: '/applications', login: viewer, seen });
  await expectOpensEverywhere(dashboard, { path: '/applications', login: admin, seen: name });
});
