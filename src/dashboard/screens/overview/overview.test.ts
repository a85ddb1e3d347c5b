// The overview in a browser: where a login lands, figures that equal the API's, and what opens behind them.
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
import { storeCampaign } from '../../../../test/support/campaigns.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../../test/support/uploads.ts';
import { count } from '../../parts/figures.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  viewer = await newDashboardUser(dashboard.service, 'viewer');
  path = `/apps/${dashboard.service.application.id}/overview`;
});
afterAll(() => dashboard.stop());

/** One session so many days ago, of 90 seconds. */
async function send(device: string, days: number, names: string[]): Promise<void> {
  const { client, application } = dashboard.service;
  const start = Date.now() - days * 86_400_000 - 100_000;
  const at = { timestamp: start / 1_000 + 1, date: new Date(start + 1_000).toISOString() };
  const session = aSession({
    startDate: new Date(start).toISOString(),
    finishDate: new Date(start + 90_000).toISOString(),
    events: names.map((name) => anEvent({ ...at, name })),
  });
  const report = aReport({ device: aDevice(device), sessions: [session] });
  expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
}

async function sendAll(): Promise<void> {
  await send('d1', 40, ['Bought']);
  await send('d1', 0, ['Bought', 'Bought', 'W'.repeat(256)]);
  await send('d2', 0, ['Viewed']);
  await storeCampaign(dashboard.service, { name: 'Autumn offer', state: 'ACTIVE' });
}

/** The service writes refusals down every few seconds. */
async function sendRefused(): Promise<void> {
  const { url, application } = dashboard.service;
  const refused = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': application.key.public },
    body: JSON.stringify({ ...aReport(), sessions: 'none' }),
  });
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('sessions')]);
  const issues = async () =>
    (
      await viewer.ask(
        'query ($app: UUID!, $day: Date!) { ingestIssues(applicationId: $app, from: $day, to: $day) { nodes { path } } }',
        {
          app: application.id,
          day: new Date().toISOString().slice(0, 10),
        },
      )
    ).data!['ingestIssues'] as { nodes: unknown[] };
  await eventually(issues, ({ nodes }) => nodes.length > 0);
}

test('a login lands at the first event, and once there is one at the overview with the figures of the API', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  const { url } = dashboard.service;
  await logIn(page, url, { ...viewer, path: '/' });
  await page.waitForURL(/\/first-event$/);
  await page.goto(`${url}/admin${path}`);
  await page.getByText('No activity in this range').waitFor();
  await sendAll();
  await sendRefused();
  await page.goto(`${url}/admin/`);
  await page.waitForURL(/\/overview$/);

  const [from, to] = await Promise.all([page.getByLabel('From').inputValue(), page.getByLabel(/^To \(/).inputValue()]);
  const { data } = await viewer.ask(
    `query ($input: ActivityInput!) {
        activity(input: $input) { totals { active new sessions events } previous { totals { active } } }
      }`,
    { input: { applicationId: dashboard.service.application.id, from, to, compare: true } },
  );
  const { totals, previous } = data!['activity'] as {
    totals: Record<'active' | 'new' | 'sessions' | 'events', number>;
    previous: { totals: { active: number } };
  };
  expect([totals, previous.totals.active]).toEqual([{ active: 2, new: 1, sessions: 2, events: 4 }, 1]);
  const tile = (name: string) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
  await tile('Active devices').getByText(count(totals.active), { exact: true }).waitFor();
  await tile('Active devices').getByText('+100 % from 1').waitFor();
  await tile('New devices').getByText(count(totals.new), { exact: true }).waitFor();
  await tile('New devices').getByText('unchanged', { exact: true }).waitFor();
  await tile('Sessions').getByText(count(totals.sessions), { exact: true }).waitFor();
  await tile('Events').getByText(count(totals.events), { exact: true }).waitFor();
  await tile('Median session').getByText('1 min 30 s', { exact: true }).waitFor();
  await page.getByText('This range is not finished').waitFor();

  const top = page.getByRole('region', { name: 'Top events of the range' });
  await top.getByRole('row').nth(1).waitFor();
  expect(await top.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual(['Bought', 'app', '2']);
  await page.getByRole('link', { name: 'Autumn offer' }).waitFor();
  await page.getByRole('cell', { name: /^422 / }).first().waitFor();
  // Outside production there are no quotas by default.
  expect(await page.getByRole('heading', { name: /^Quotas/ }).count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test('tiles, points and names open the devices behind them, and the URL has the figure of the chart', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByRole('button', { name: '2: Active devices, show the devices' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('2 devices').waitFor();
  await drawer.getByRole('link', { name: 'd2' }).waitFor();
  await page.keyboard.press('Escape');

  await page.getByText('New devices', { exact: true }).last().click();
  await page.waitForURL(/figure=new/);
  await page.getByRole('img', { name: /^New devices, as a chart/ }).waitFor();
  const plot = page.locator('.u-over');
  const box = (await plot.boundingBox())!;
  // The last point is today, whose new device is the one that was not there 40 days ago.
  await plot.click({ position: { x: box.width - 3, y: 20 } });
  await drawer.getByText('1 device', { exact: false }).waitFor();
  await drawer.getByRole('link', { name: 'd2' }).waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: '2: Bought, show the devices' }).click();
  await drawer.getByRole('link', { name: 'd1' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Bought' }).click();
  await page.waitForURL(/\/events\?/);
  await page.getByRole('heading', { name: 'Number of events' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('a browser whose language is no language tag draws the chart too', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  // As in Chrome with LANG=C.
  const language = `{ configurable: true, get: () => 'en-US@posix' }`;
  await context.addInitScript(`Object.defineProperty(Navigator.prototype, 'language', ${language})`);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.locator('.u-over').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...viewer, path });
    await page.getByText('W'.repeat(256)).first().waitFor();
    await page.getByText('This range is not finished').waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
