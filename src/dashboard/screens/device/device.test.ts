// One device in a browser: sessions with their events, properties, installs, purchases and attribution, as the API has them.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  schemes,
  startDashboard,
  violationsOf,
  widths,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { storeHolder, storeLine } from '../../../../test/support/storedLines.ts';
import { longText, strangeId } from '../../../../test/support/strangeTexts.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../../test/support/uploads.ts';
import { time } from '../../parts/figures.ts';

let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
const pathOf = (id: string): string =>
  `/apps/${dashboard.service.application.id}/device?id=${encodeURIComponent(JSON.stringify(id))}`;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = await newDashboardUser(dashboard.service, 'admin');
  await fill(strangeId);
});
afterAll(() => dashboard.stop());

/** 25 sessions, the newest with 120 events; a purchase, and the data of a provider. */
async function fill(id: string): Promise<void> {
  const { client, application } = dashboard.service;
  const key = { 'X-Api-Key': application.key.public };
  const sessions = Array.from({ length: 25 }, (_, number) => {
    const begin = new Date(Date.now() - (25 - number) * 3_600_000);
    const at = { timestamp: begin.getTime() / 1_000, date: begin.toISOString() };
    const events = Array.from({ length: number === 24 ? 120 : 1 }, (_, place) =>
      anEvent({ ...at, name: `Event ${place}`, params: [{ name: 'level', value: place }] }),
    );
    if (number === 24) events[0] = anEvent({ ...at, name: longText, params: [{ name: longText, value: longText }] });
    const finishDate = new Date(begin.getTime() + 90_000).toISOString();
    return aSession({ startDate: at.date, finishDate, number: { global: number + 1, version: 1 }, events });
  });
  const { properties } = aDevice();
  const customProperties = [
    { name: 'plan', value: 'pro' },
    { name: longText, value: longText },
    { name: 'sum', value: '12' },
  ];
  const report = aReport({
    user: { id: 'user 7/x', properties: customProperties },
    device: { id, properties: { ...properties, country: 'DE', vendorIdentifier: longText } },
    sessions,
  });
  expect((await client.send('reportSessions', key, report)).status).toBe(200);
  const attribution = { device: { id }, system: { os_version: '18' }, attribution: { provider_a: { a: 1 } } };
  expect((await client.send('reportAttribution', key, attribution)).status).toBe(200);
  await storeLine(dashboard.service, application.id, { lineId: '7300', productId: longText });
  await storeHolder(dashboard.service, application.id, { lineId: '7300', device: id, externalId: 'crm-1' });
}

const regionOf = (name: string) => ({ name, exact: true });

test('it shows the sessions with their events, properties, installs, attribution and purchases', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path: pathOf(strangeId) });
  expect(await page.locator('main pre').first().textContent()).toBe(strangeId);
  const timeline = page.getByRole('region', regionOf('Timeline'));
  await timeline.getByText('The newest 20 of 25 sessions').waitFor();
  await timeline.getByText('no. 25', { exact: true }).waitFor();
  await timeline.getByText('1 min 30 s').first().waitFor();
  await timeline.getByText('Event 99').waitFor();
  await timeline.getByText('In the order in which they arrived. Times by the device’s clock.').waitFor();
  const about = page.getByRole('region', regionOf('About'));
  await about.getByText('newest session, device’s clock').waitFor();
  const { data } = await admin.ask(
    'query ($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) { sessions(limit: 1) { finishedAt } } applications { timeZone } }',
    { app: dashboard.service.application.id, id: strangeId },
  );
  type Newest = { device: { sessions: { finishedAt: string }[] }; applications: { timeZone: string }[] };
  const { device, applications } = data as Newest;
  const activity = about.locator('dl > div').filter({ hasText: 'Last activity' });
  expect(await activity.innerText()).toContain(time(device.sessions[0]!.finishedAt, applications[0]!.timeZone, 'full'));
  await timeline.getByRole('button', { name: 'Later events' }).click();
  await timeline.getByText('Events 101 to 120').waitFor();
  await timeline.getByText('Event 119').waitFor();
  await timeline.getByRole('button', { name: 'Show older sessions' }).click();
  await timeline.getByText('25 sessions', { exact: true }).waitFor();
  await timeline.getByText('no. 1', { exact: true }).click();
  await timeline.getByText('Event 0', { exact: true }).waitFor();

  await page.getByRole('region', regionOf('Device properties')).getByText('Germany (DE)').waitFor();
  await page.getByText('as a version: 2.14.3').waitFor();
  const ofUser = page.getByRole('region', regionOf('User properties'));
  await ofUser.getByText('pro', { exact: true }).waitFor();
  await ofUser.getByText('"12"').waitFor();
  await page.getByRole('region', regionOf('Installs')).getByRole('cell', { name: longText }).waitFor();
  await page.getByRole('region', regionOf('Attribution')).getByText('{"a":1}').waitFor();
  await page.getByRole('region', regionOf('Entitlements')).getByRole('cell', { name: longText }).waitFor();
  await page.getByRole('region', regionOf('Entitlements')).getByRole('cell', { name: 'Bought once' }).waitFor();
  await page.getByText('The device has uploaded no transaction').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('an admin marks it as a test device and the others stay; a viewer reads who can', async () => {
  const { id } = dashboard.service.application;
  await admin.ask('mutation ($id: UUID!) { applicationEdit(input: { id: $id, testDevices: ["other"] }) { id } }', {
    id,
  });
  const testDevices = async (): Promise<unknown> => {
    const { data } = await admin.ask('{ applications { testDevices } }');
    return (data as { applications: { testDevices: string[] }[] }).applications[0]!.testDevices;
  };
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path: pathOf(strangeId) });
  await page.getByRole('button', { name: 'Mark as a test device' }).click();
  await page.getByRole('button', { name: 'Unmark' }).waitFor();
  expect(await testDevices()).toEqual(expect.arrayContaining(['other', strangeId]));
  await page.getByRole('button', { name: 'Unmark' }).click();
  await page.getByRole('button', { name: 'Mark as a test device' }).waitFor();
  expect(await testDevices()).toEqual(['other']);
  await page.goto(`${dashboard.service.url}/admin${pathOf('nobody')}`);
  await page.getByText('Nothing of this device has arrived').waitFor();
  expect(problems).toEqual([]);
  await context.close();

  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  const other = await openDashboard(dashboard.browser);
  await logIn(other.page, dashboard.service.url, { ...viewer, path: pathOf(strangeId) });
  await other.page.getByText('Admins and owners can mark test devices.').waitFor();
  await other.context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...admin, path: pathOf(strangeId) });
    await page.getByText('Events 1 to 100').waitFor();
    await page.getByText('Bought once').waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
