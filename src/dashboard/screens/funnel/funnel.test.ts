// The funnel in a browser: it is built and sent as a URL, its figures are the API's, and each opens its devices.
import type { Page } from 'playwright-core';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  schemes,
  startDashboard,
  violationsOf,
  waitForValue,
  widths,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { longText, strangeId } from '../../../../test/support/strangeTexts.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../../test/support/uploads.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  viewer = await newDashboardUser(dashboard.service, 'viewer');
  path = `/apps/${dashboard.service.application.id}/funnel`;
  await send('d1', ['Viewed', 'Bought']);
  await send('d2', ['Viewed']);
  await send('d3', ['Viewed', 'Bought'], 'web');
  await send(strangeId, ['Viewed', 'Bought'], longText);
});
afterAll(() => dashboard.stop());

/** The events happen a minute after each other, the last one a minute ago. */
async function send(device: string, names: string[], source = 'mail'): Promise<void> {
  const { client, application } = dashboard.service;
  const events = names.map((name, at) => {
    const when = Date.now() - (names.length - at) * 60_000;
    const times = { timestamp: when / 1_000, date: new Date(when).toISOString() };
    return anEvent({ ...times, name, params: [{ name: 'source', value: source }] });
  });
  const sessions = [aSession({ startDate: new Date(Date.now() - 600_000).toISOString(), events })];
  const report = aReport({ device: aDevice(device), sessions });
  expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
}

const steps = [
  { name: 'Viewed', type: 'CUSTOM' },
  { name: 'Bought', type: 'CUSTOM' },
];
const search = `?steps=${encodeURIComponent(JSON.stringify(steps))}&breakdown=${encodeURIComponent('{"scope":"EVENT","property":"source"}')}`;

async function chooseStep(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).fill(name);
  await page.getByRole('option', { name, exact: true }).click();
}

const rowsOf = (page: Page, table: string): Promise<string[][]> =>
  page
    .getByRole('table', { name: table })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.trim())));

test('it is built step by step, its figures are the API’s, and each opens its devices', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByText('No funnel yet').waitFor();
  await page.getByRole('button', { name: 'Show funnel' }).click();
  await page.getByText('Choose an event').first().waitFor();
  await chooseStep(page, 'Step 1', 'Bought');
  await chooseStep(page, 'Step 2', 'Viewed');
  await page.getByRole('button', { name: 'Move step 2 up' }).click();
  const show = page.getByRole('button', { name: 'Show funnel' });
  await show.click();
  await page.getByRole('table', { name: 'Steps of the funnel' }).waitFor();
  expect(await show.evaluate((button) => button === document.activeElement)).toBe(true);

  const { data } = await viewer.ask(
    'query ($input: FunnelInput!) { funnel(input: $input) { steps { count conversion medianSeconds } } }',
    {
      input: {
        applicationId: dashboard.service.application.id,
        steps,
        within: { value: 7, unit: 'DAY' },
        ...range(),
      },
    },
  );
  const { funnel } = data as { funnel: { steps: { count: number; conversion: number; medianSeconds: number }[] } };
  expect(funnel.steps.map(({ count }) => count)).toEqual([4, 3]);
  expect(funnel.steps[1]).toMatchObject({ conversion: 0.75, medianSeconds: 60 });
  const rows = await rowsOf(page, 'Steps of the funnel');
  expect(rows).toEqual([
    ['1', 'Viewed', '', '100 %', '4', '', '', ''],
    ['2', 'Bought', '', '75 %', '3', '75 %', '1', '1 min 0 s'],
  ]);

  await page.getByRole('button', { name: '1 dropped before step 2: show devices' }).click();
  const drawer = page.getByRole('dialog', { name: 'Dropped before step 2, Bought' });
  await drawer.getByRole('link', { name: 'd2' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });

  const url = page.url();
  await page.reload();
  await page.getByRole('table', { name: 'Steps of the funnel' }).waitFor();
  expect(await rowsOf(page, 'Steps of the funnel')).toEqual(rows);
  await page.getByRole('combobox', { name: 'Step 2' }).fill('Viewed');
  await page.getByText('The result below is of the funnel before your changes.').waitFor();
  await show.click();
  await page.waitForURL((now) => now.href !== url);
  await page.goBack();
  await page.waitForURL(url);
  await waitForValue(page.getByRole('combobox', { name: 'Step 2' }), 'Bought');
  expect(problems).toEqual([]);
  await context.close();
});

/** In the filter form that was opened last. */
async function fillFilter(page: Page, property: string, value: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Property' }).last().fill(property);
  await page.getByLabel('Value').last().fill(value);
}

test('a filter that is filled and not added is taken along, or says what it misses', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await chooseStep(page, 'Step 1', 'Viewed');
  await chooseStep(page, 'Step 2', 'Bought');
  await page.getByRole('button', { name: 'Add filter' }).first().click();
  await fillFilter(page, 'source', 'mail');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await fillFilter(page, '', 'mail');
  const show = page.getByRole('button', { name: 'Show funnel' });
  await show.click();
  await page.getByText('Choose a property').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await fillFilter(page, 'source', 'mail');
  await show.click();
  await page.getByRole('table', { name: 'Steps of the funnel' }).waitFor();
  const [first, second] = await rowsOf(page, 'Steps of the funnel');
  expect([first![4], second![4]]).toEqual(['2', '1']);
  const added = page.getByRole('button', { name: 'Remove: event source is mail' });
  await added.nth(1).waitFor();
  expect(await added.count()).toBe(2);
  expect(await show.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await violationsOf(page)).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});

/** The range that the page begins with. */
const range = () => ({
  from: new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10),
  to: new Date().toISOString().slice(0, 10),
});

test('a value of the breakdown opens its device, whatever its id', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path: path + search });
  await page.getByRole('table', { name: 'Steps of the funnel by source' }).waitFor();
  const rows = await rowsOf(page, 'Steps of the funnel by source');
  expect(rows.map((cells) => cells.map((cell) => cell.replace(/\s+/g, ' ')))).toEqual([
    ['mail', '2', '1 50 %'],
    [longText, '1', '1 100 %'],
    ['web', '1', '1 100 %'],
  ]);
  await page.getByRole('button', { name: `1 step 2, ${longText}: show devices` }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'quoted' }).click();
  await page.getByRole('heading', { name: 'Device', exact: true }).waitFor();
  await page.getByText('Sessions stored').waitFor();
  expect(new URL(page.url()).searchParams.get('id')).toBe(strangeId);
  expect(problems).toEqual([]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)(
    'it has no violation of accessibility, with a result and with the drawer open: %s',
    async (scheme) => {
      const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
      await logIn(page, dashboard.service.url, { ...viewer, path: path + search });
      await page.getByRole('table', { name: 'Steps of the funnel by source' }).waitFor();
      expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
      await page.getByRole('button', { name: '4 step 1: show devices' }).click();
      await page.getByRole('dialog').getByRole('link', { name: 'd2' }).waitFor();
      expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
      await context.close();
    },
  );
});
