// Retention in a browser: its cohorts are the API's, empty ones are left out, and each figure opens its devices.
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
import { longText } from '../../../../test/support/strangeTexts.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../../test/support/uploads.ts';

const day = 86_400_000;
let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  viewer = await newDashboardUser(dashboard.service, 'viewer');
  path = `/apps/${dashboard.service.application.id}/retention`;
  for (const [device, days] of Object.entries({ d1: [4, 3, 0], d2: [4], d3: [1, 0], d4: [0] }))
    for (const ago of days) await send(device, ago);
});
afterAll(() => dashboard.stop());

/** One session with one event, so many days ago. */
async function send(device: string, ago: number): Promise<void> {
  const { client, application } = dashboard.service;
  const when = Date.now() - ago * day;
  const at = { timestamp: when / 1_000, date: new Date(when).toISOString() };
  const session = aSession({ startDate: at.date, events: [anEvent({ ...at, name: ago === 0 ? 'Bought' : 'Viewed' })] });
  const report = aReport({ device: aDevice(device), sessions: [session] });
  expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
}

const text = (value: string): string => value.replace(/\s+/g, ' ').trim();

test('its cohorts are the API’s, the row “All” says of how many, and each figure opens its devices', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  const table = page.getByRole('table', { name: 'Cohorts and how many came back' });
  await table.waitFor();
  const from = new Date(Date.now() - 29 * day).toISOString().slice(0, 10);
  const to = new Date().toISOString().slice(0, 10);
  const { data } = await viewer.ask(
    'query ($input: RetentionInput!) { retention(input: $input) { cohorts { size periods { count complete } } } }',
    {
      input: {
        applicationId: dashboard.service.application.id,
        start: { firstSeen: true },
        returning: { any: true },
        ...{ from, to, interval: 'DAY', periods: 12 },
      },
    },
  );
  type Cohort = { size: number; periods: { count: number; complete: boolean }[] };
  const { cohorts } = (data as { retention: { cohorts: Cohort[] } }).retention;
  const filled = cohorts.filter(({ size }) => size > 0);
  const rows = await table
    .locator('tbody tr')
    .evaluateAll((lines) => lines.map((line) => [...line.querySelectorAll('td')].map((cell) => cell.innerText)));
  const [all, ...shown] = rows.map((cells) => cells.map(text));
  expect(all![0]).toBe('4');
  expect(shown.map(([size]) => size)).toEqual(filled.map(({ size }) => String(size)));
  shown.forEach((cells, row) => {
    const { size, periods } = filled[row]!;
    cells.slice(1).forEach((cell, index) => {
      const { count } = periods[index]!;
      if (cell !== '') expect(cell).toBe(`${Number(((count / size) * 100).toFixed(1))} % ${count}`);
    });
  });
  const finished = filled.filter(({ periods }) => periods[1]!.complete);
  const [back, began] = [sum(finished.map(({ periods }) => periods[1]!.count)), sum(finished.map(({ size }) => size))];
  expect(all![2]).toContain(`${back} of ${began}`);
  await page.getByText(`${30 - filled.length} days are left out: no devices began in them.`).waitFor();

  await table
    .getByRole('button', { name: /devices of .*: show devices/ })
    .first()
    .focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('link', { name: 'd1' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(problems).toEqual([]);
  await context.close();
});

const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0);

test('another question is in the URL, and one without cohorts says so', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByLabel('Begin with').selectOption('event');
  await page.getByRole('button', { name: 'Show retention' }).click();
  await page.getByText('Choose an event').waitFor();
  await page.getByRole('combobox', { name: 'First event' }).fill('Bought');
  await page.getByRole('option', { name: 'Bought' }).click();
  await page.getByRole('button', { name: 'Show retention' }).click();
  await page.waitForURL(/start=/);
  await page.getByRole('button', { name: /^3 devices of/ }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: /^3 devices of/ }).waitFor();
  await waitForValue(page.getByRole('combobox', { name: 'First event' }), 'Bought');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByLabel('Value').fill('mail');
  await page.getByRole('button', { name: 'Show retention' }).click();
  await page.getByText('Choose a property').waitFor();
  await page.getByRole('combobox', { name: 'Property' }).fill('source');
  await page.getByRole('button', { name: 'Show retention' }).click();
  await page.waitForURL(/source/);
  await page.getByRole('button', { name: 'Remove: event source is mail' }).waitFor();
  await page.getByRole('combobox', { name: 'First event' }).fill('Nothing');
  await page.getByRole('button', { name: 'Show retention' }).click();
  await page.getByText('No devices began in this range').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    const filters = [{ scope: 'EVENT', property: longText, op: 'NOT_EXISTS' }];
    const returning = JSON.stringify({ name: 'Viewed', type: 'CUSTOM', filters });
    const search = `?returning=${encodeURIComponent(returning)}`;
    await logIn(page, dashboard.service.url, { ...viewer, path: path + search });
    await page.getByRole('table', { name: 'Cohorts and how many came back' }).waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
