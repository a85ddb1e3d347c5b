// The live view in a browser: it opens everywhere, an event appears by itself, and what was refused says why.
import type { Request, Route } from 'playwright-core';
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
import { eventually } from '../../../../test/support/eventually.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../../test/support/uploads.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  viewer = await newDashboardUser(dashboard.service, 'viewer');
  path = `/apps/${dashboard.service.application.id}/live`;
});
afterAll(() => dashboard.stop());

async function send(name: string, deviceId = 'd1'): Promise<void> {
  const { client, application } = dashboard.service;
  const sessions = [aSession({ events: [anEvent({ name, params: [{ name: 'level', value: 7 }] })] })];
  const report = aReport({ device: aDevice(deviceId), sessions });
  expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
}

test('an event appears by itself, filters are in the URL, and a refused upload says why', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByText('No events yet').waitFor();
  await send('Bought');
  await page.getByRole('cell', { name: 'Bought' }).waitFor();
  await page.getByRole('cell', { name: '{"level":7}' }).waitFor();
  await send('Viewed', 'd2');
  await page.getByRole('cell', { name: 'Viewed' }).waitFor();

  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('combobox', { name: 'Property' }).fill('level');
  await page.getByLabel('Comparison').selectOption('GT');
  await page.getByLabel('Value').fill('7');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('No events yet').waitFor();
  expect(decodeURIComponent(page.url())).toContain('"property":"level","op":"GT","value":7');
  await page.reload();
  await page.getByText('event level is more than 7').waitFor();

  const refused = await fetch(`${dashboard.service.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': dashboard.service.application.key.public },
    body: JSON.stringify({ ...aReport(), sessions: 'none' }),
  });
  expect(refused.status).toBe(422);
  await page.getByRole('cell', { name: 'sessions' }).first().waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('a read that takes longer than a turn is awaited, until it is lost, or with another question or page', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  const held: Route[] = [];
  const aborted: Request[] = [];
  const asksEvents = (request: Request) => request.postData()?.includes('query LiveEvents') ?? false;
  page.on('requestfailed', (request) => asksEvents(request) && aborted.push(request));
  const isHeld = (count: number) => eventually(async () => held.length === count, Boolean);
  const isAborted = (route: Route) => eventually(async () => aborted.includes(route.request()), Boolean);
  await send('Before');
  await page.clock.install();
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByRole('cell', { name: 'Before' }).waitFor();
  await page.route('**/admin/graphql/', (route) =>
    asksEvents(route.request()) ? void held.push(route) : route.continue(),
  );
  await isHeld(1);
  await send('Slow');
  // Five turns.
  await page.clock.runFor(10_000);
  expect([held.length, aborted]).toEqual([1, []]);
  await held[0]!.continue();
  await page.getByRole('cell', { name: 'Slow' }).waitFor();
  await isHeld(2);
  await page.clock.runFor(30_000);
  await isHeld(3);
  await isAborted(held[1]!);
  await page.getByRole('switch', { name: 'Test devices' }).check();
  await isHeld(4);
  await isAborted(held[2]!);
  expect(held[3]!.request().postDataJSON()).toMatchObject({ variables: { includeTest: true } });
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await isAborted(held[3]!);
  expect([aborted.length, held.length, problems]).toEqual([3, 4, []]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    await send('x'.repeat(256));
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...viewer, path });
    await page.getByText('x'.repeat(256)).first().waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
