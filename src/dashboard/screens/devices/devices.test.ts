// The list of devices in a browser: its rows are the API's, its URL names search, order and page, and a stranger's id opens.
import type { Page } from 'playwright-core';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  schemes,
  startDashboard,
  violationsOf,
  waitForFocus,
  widths,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { longText, numberId, strangeId } from '../../../../test/support/strangeTexts.ts';
import { aDevice, aReport, aSession } from '../../../../test/support/uploads.ts';

let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = await newDashboardUser(dashboard.service, 'admin');
  path = `/apps/${dashboard.service.application.id}/devices`;
  for (let number = 0; number < 55; number += 1) await send(`device-${number}`, 'many');
  await send('hidden', 'many');
  for (const id of [strangeId, longText, numberId]) await send(id, id);
  await send(numberId, numberId, 3);
  await admin.ask('mutation ($id: UUID!) { applicationEdit(input: { id: $id, testDevices: ["hidden"] }) { id } }', {
    id: dashboard.service.application.id,
  });
});
afterAll(() => dashboard.stop());

async function send(device: string, user: string, sessions = 1): Promise<void> {
  const { client, application } = dashboard.service;
  const { id, properties } = aDevice(device);
  const report = aReport({
    user: { id: user },
    device: { id, properties: { ...properties, country: 'DE', deviceModel: user } },
    sessions: Array.from({ length: sessions }, () => aSession({ startDate: new Date().toISOString(), events: [] })),
  });
  expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
}

const idsOn = (page: Page): Promise<string[]> =>
  page.locator('tbody tr td:first-child a').evaluateAll((links) => links.map(({ textContent }) => textContent ?? ''));

async function idsOf(fields: string): Promise<string[]> {
  const { data } = await admin.ask(
    `query ($id: UUID!) { devices(applicationId: $id, ${fields}) { nodes { id } total } }`,
    { id: dashboard.service.application.id },
  );
  return (data as { devices: { nodes: { id: string }[] } }).devices.nodes.map(({ id }) => id);
}

test('its rows are the API’s, page by page and in the chosen order, and test devices are there on demand', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path });
  await page.getByText('58 devices, 50 on this page').waitFor();
  expect(await idsOn(page)).toEqual(await idsOf('limit: 50'));
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('58 devices, 8 on this page').waitFor();
  expect(await idsOn(page)).toEqual((await idsOf('limit: 200')).slice(50));
  await page.getByRole('button', { name: 'Sessions' }).click();
  await page.waitForURL(/sort=SESSIONS/);
  await page.getByText('58 devices, 50 on this page').waitFor();
  expect((await idsOn(page))[0]).toBe(numberId);
  expect(await idsOn(page)).toEqual(await idsOf('limit: 50, sort: SESSIONS'));
  await page.getByLabel('Test devices').check();
  await page.getByText('59 devices, 50 on this page').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('search, filter and user are in the URL, and every stranger’s id opens its device', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path });
  await page.getByLabel('Device or user').fill('QUOTED');
  await page.getByText('1 device', { exact: true }).waitFor();
  await page.waitForURL(/search=QUOTED/);
  await page.reload();
  await page.getByText('1 device', { exact: true }).waitFor();
  expect(await idsOn(page)).toEqual([strangeId]);
  for (const id of [strangeId, longText, numberId]) {
    await page.goto(`${dashboard.service.url}/admin${path}?search=${encodeURIComponent(JSON.stringify(id))}`);
    await page.getByRole('cell').getByRole('link').first().click();
    await page.getByText('Sessions stored').waitFor();
    expect(await page.locator('main pre').first().textContent()).toBe(id);
    await page
      .getByRole('link', { name: id.slice(0, 3) })
      .first()
      .click();
    await page.waitForURL(/user=/);
    await page.getByText('1 device', { exact: true }).waitFor();
    expect(await idsOn(page)).toEqual([id]);
  }

  await page.goto(`${dashboard.service.url}/admin${path}`);
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('combobox', { name: 'Property' }).fill('deviceModel');
  await page.getByLabel('Value').fill('"007"');
  const add = page.getByRole('button', { name: 'Add', exact: true });
  await add.click();
  await add.waitFor({ state: 'detached' });
  await waitForFocus(page.getByRole('button', { name: 'Add filter', exact: true }));
  await page.getByText('1 device', { exact: true }).waitFor();
  expect(await idsOn(page)).toEqual([numberId]);
  await page.getByLabel('Seen since').fill('2100-01-01');
  await page.getByText('No device fits').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...admin, path });
    await page.getByText('58 devices, 50 on this page').waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
