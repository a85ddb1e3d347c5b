// The first-event page in a browser: its own command is run as shown, unsigned and signed, and the event turns the page green.
import type { Page } from 'playwright-core';
import { auditLines } from '../../../../test/support/auditLines.ts';
import { parseCurl, sendCurl } from '../../../../test/support/curl.ts';
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

let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;

async function start(signatureRequired: boolean): Promise<void> {
  dashboard = await startDashboard({ signatureRequired });
  admin = await newDashboardUser(dashboard.service, 'admin');
  path = `/apps/${dashboard.service.application.id}/first-event`;
}

async function open() {
  const opened = await openDashboard(dashboard.browser);
  await logIn(opened.page, dashboard.service.url, { ...admin, path });
  await opened.page.getByText('Waiting for your first event …').waitFor();
  return opened;
}

const shownCommand = async (page: Page) => parseCurl(await page.getByText(/^curl -i /).innerText());

describe('a service that takes unsigned uploads', () => {
  beforeAll(() => start(false));
  afterAll(() => dashboard.stop());

  test('the command is sent as shown, and the page says by itself that its event is there', async () => {
    await expectOpensEverywhere(dashboard, { path, login: admin, seen: 'Waiting for your first event' });
    const { page, problems, context } = await open();
    expect(await sendCurl(await shownCommand(page))).toEqual({ status: 200, body: {} });
    await page.getByText('The event LevelCompleted has arrived').waitFor();
    await page.getByRole('link', { name: 'device-1' }).waitFor();
    expect([problems, page.url()]).toEqual([[], `${dashboard.service.url}/admin${path}`]);
    await page.getByRole('link', { name: 'Watch the live view' }).click();
    await page.getByRole('cell', { name: 'LevelCompleted' }).waitFor();
    await context.close();
    await expectOpensEverywhere(dashboard, { path, login: admin, seen: 'has arrived' });
  });

  test('a viewer reads who can see the keys, and sees the event arrive', async () => {
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    const { page, problems, context } = await openDashboard(dashboard.browser);
    await logIn(page, dashboard.service.url, { ...viewer, path });
    await page.getByText('Admins and owners can read the keys of an application.').waitFor();
    await page.getByText('The event LevelCompleted has arrived').waitFor();
    expect([problems, await page.content()]).toEqual([[], expect.not.stringContaining('pub_')]);
    await context.close();
  });

  test('by plain http the command is there, its text can be copied by the keyboard, and the page says how to sign', async () => {
    const { page, problems, context } = await openDashboard(dashboard.browser);
    const elsewhere = 'http://dashboard.example';
    await page.route(`${elsewhere}/**`, async (route) => {
      const url = route.request().url().replace(elsewhere, dashboard.service.url);
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await logIn(page, elsewhere, { ...admin, path });
    await page.getByText('Open this page by https to sign the command here.').waitFor();
    expect((await shownCommand(page)).url).toBe(`${elsewhere}/api/v1/session`);
    await stopClock(page);
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await page.getByRole('button', { name: 'Selected: the command' }).waitFor();
    expect(await page.evaluate('String(getSelection())')).toContain('curl -i http://dashboard.example');
    // The browser says of each page by plain http that it ignores this header.
    expect(problems.filter((text) => !text.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
    // A read that is under way has no page to respond to.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
});

describe('a service that takes signed uploads alone', () => {
  beforeAll(() => start(true));
  afterAll(() => dashboard.stop());

  test('the page says why the unsigned command is refused, signs it, and records that the secret was read', async () => {
    const { service } = dashboard;
    const { page, problems, context } = await open();
    expect((await sendCurl(await shownCommand(page))).status).toBe(403);
    await page.getByText('This service takes signed uploads alone').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await auditLines(service, admin.organizationId)).toEqual([]);
    await page.getByRole('button', { name: 'Sign the command' }).click();
    await page.getByText(/^The command is signed\./).waitFor();
    expect(await sendCurl(await shownCommand(page))).toEqual({ status: 200, body: {} });
    await page.getByText('The event LevelCompleted has arrived').waitFor();
    await page.getByText('An upload was refused').waitFor({ state: 'detached' });
    const { id: applicationId, key } = service.application;
    const read = { action: 'apiKeyReveal', objectType: 'apiKey', objectId: key.public, details: { applicationId } };
    expect(await auditLines(service, admin.organizationId)).toEqual([{ actor: admin.email, ...read }]);
    expect(await page.content()).not.toContain(key.secret);
    expect(problems).toEqual([]);
    await context.close();
  });
});
