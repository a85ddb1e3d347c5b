// The events in a browser: a question that the URL names, figures that equal the API's, and the line that a click opens.
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
import { aDevice, anEvent, aReport, aSession } from '../../../../test/support/uploads.ts';

let dashboard: DashboardTest;
let viewer: Awaited<ReturnType<typeof newDashboardUser>>;
let path: string;

/** Nine values: the first has 20 events of the device `much`, each other has one of the device `little`. */
beforeAll(async () => {
  dashboard = await startDashboard();
  viewer = await newDashboardUser(dashboard.service, 'viewer');
  path = `/apps/${dashboard.service.application.id}/events`;
  const many = Array.from({ length: 20 }, () => ['sku', 'first'] as const);
  const few = Array.from({ length: 7 }, (_, at) => ['sku', `sku ${at}`] as const);
  await send('much', 'Purchased', many);
  await send('little', 'Purchased', [...few, ['sku', 10]]);
  await send('little', 'W'.repeat(256), [['x'.repeat(256), 'y'.repeat(256)]]);
});
afterAll(() => dashboard.stop());

async function send(device: string, name: string, params: (readonly [string, string | number])[]): Promise<void> {
  const { client, application } = dashboard.service;
  const now = Date.now();
  const at = { timestamp: now / 1_000, date: new Date(now).toISOString() };
  const events = params.map(([param, value], place) =>
    anEvent({
      ...{ ...at, name },
      params: [
        { name: param, value },
        { name: 'price', value: place + 0.5 },
      ],
    }),
  );
  const sessions = [aSession({ startDate: new Date(now).toISOString(), events })];
  const report = aReport({ device: aDevice(device), sessions });
  expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
}

test('a question is typed, is in the URL after a pause, and its figures are those of the API', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await page.clock.install();
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByText('Nothing measured yet').waitFor();
  const seen: string[] = [];
  page.on('framenavigated', () => seen.push(decodeURIComponent(page.url())));
  // No pause, however slowly the machine types.
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await page.getByRole('combobox', { name: 'Event' }).pressSequentially('Purchased');
  expect(seen).toEqual([]);
  await page.clock.resume();
  await page.getByRole('button', { name: '28: Purchased, show the devices' }).waitFor();
  expect(seen).toEqual([expect.stringContaining('"Purchased"')]);
  await page.keyboard.press('Escape');

  await page.getByLabel('Measure').selectOption('SUM');
  await page.getByText('Choose the property whose numbers are measured.').waitFor();
  await page.getByRole('combobox', { name: 'Measured property' }).fill('price');
  await page.getByRole('heading', { name: 'Sum of price' }).waitFor();
  const [from, to] = await Promise.all([page.getByLabel('From').inputValue(), page.getByLabel(/^To \(/).inputValue()]);
  const input = {
    ...{ applicationId: dashboard.service.application.id, from, to, measure: 'SUM', property: 'price' },
    events: [{ name: 'Purchased', type: 'CUSTOM' }],
  };
  const { data } = await viewer.ask(
    'query ($input: EventSeriesInput!) { eventSeries(input: $input) { series { total } } }',
    { input },
  );
  const { total } = (data!['eventSeries'] as { series: { total: number }[] }).series[0]!;
  expect(total).toBe(232);
  await page.getByRole('button', { name: `${total}: Purchased, show the devices` }).click();
  await page.getByRole('dialog').getByText('2 devices').waitFor();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: '232: Purchased, show the devices' }).waitFor();
  await page.getByText('Table', { exact: true }).click();
  const overTime = page.getByRole('region', { name: 'Events over time' });
  await overTime.getByRole('button', { name: '232' }).waitFor();
  // A day that has not begun has no 0.
  await page.getByLabel(/^To \(/).fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
  await overTime.getByRole('row').last().getByRole('cell', { name: '—' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('seven lines of a breakdown are drawn, others are chosen, and a click opens the line that it is nearest to', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  const asked = [
    `events=${JSON.stringify([{ name: 'Purchased', type: 'CUSTOM' }])}`,
    `breakdown=${JSON.stringify({ scope: 'EVENT', property: 'sku' })}`,
  ];
  await logIn(page, dashboard.service.url, { ...viewer, path: `${path}?${asked.join('&')}` });
  const table = page.getByRole('region', { name: 'Figures of the whole range' });
  await table.getByRole('row').nth(9).waitFor();
  expect(await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual(['', 'first', '20', '71.4 %']);
  const boxes = table.getByRole('checkbox');
  expect(await table.getByRole('checkbox', { checked: true }).count()).toBe(7);
  // The number 10 keeps its type.
  await table.getByRole('checkbox', { name: 'Draw 10', exact: true }).waitFor();
  expect(await table.getByRole('checkbox', { name: 'Draw 10', exact: true }).isDisabled()).toBe(true);
  for (const value of ['sku 1', 'sku 2', 'sku 3', 'sku 4', 'sku 5']) {
    await boxes.and(page.getByLabel(`Draw ${value}`)).click();
    await table.getByRole('checkbox', { name: `Draw ${value}`, checked: false }).waitFor();
  }
  await page.waitForURL((url) => url.searchParams.get('lines')?.includes('sku 0') ?? false);
  expect(await table.getByRole('checkbox', { checked: true }).count()).toBe(2);

  const plot = page.locator('.u-over');
  const box = (await plot.boundingBox())!;
  await plot.click({ position: { x: box.width - 3, y: box.height * 0.9 } });
  await page
    .getByRole('dialog')
    .getByText(/^sku 0, /)
    .waitFor();
  await page.getByRole('dialog').getByRole('link', { name: 'little' }).waitFor();
  await page.keyboard.press('Escape');
  await plot.click({ position: { x: box.width - 3, y: box.height * 0.2 } });
  await page
    .getByRole('dialog')
    .getByText(/^first, /)
    .waitFor();
  await page.getByRole('dialog').getByRole('link', { name: 'much' }).waitFor();
  await page.keyboard.press('Escape');
  expect(problems).toEqual([]);
  await context.close();
});

test('names are searched, show their parameters, and open their series', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByRole('textbox', { name: 'Search for a name' }).fill('purch');
  await page.waitForURL(/names=purch/);
  await page.getByRole('button', { name: '2: show the parameters of Purchased' }).click();
  await page.getByRole('dialog').getByRole('cell', { name: 'sku', exact: true }).waitFor();
  await page.getByRole('dialog').getByRole('cell', { name: 'string, number' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Purchased' }).click();
  await page.getByRole('button', { name: '28: Purchased, show the devices' }).waitFor();
  await waitForValue(page.getByRole('combobox', { name: 'Event' }), 'Purchased');
  await page.goBack();
  await page.getByText('Nothing measured yet').waitFor();
  await waitForValue(page.getByRole('combobox', { name: 'Event' }), '');
  expect(problems).toEqual([]);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    const events = [
      { name: 'W'.repeat(256), type: 'CUSTOM' },
      { name: 'Purchased', type: 'CUSTOM', filters: [{ scope: 'EVENT', property: 'sku', op: 'EXISTS' }] },
    ];
    const breakdown = { scope: 'EVENT', property: 'x'.repeat(256) };
    const asked = `events=${JSON.stringify(events)}&breakdown=${JSON.stringify(breakdown)}`;
    await logIn(page, dashboard.service.url, { ...viewer, path: `${path}?${asked}` });
    await page.getByRole('region', { name: 'Figures of the whole range' }).waitFor();
    await page.getByRole('region', { name: 'Names of events' }).waitFor();
    await page.locator('.u-over').hover();
    const nothing = [[], 0, []];
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual(nothing);
    await page.getByRole('button', { name: /show the parameters of W/ }).click();
    await page.getByRole('dialog').getByRole('cell').first().waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual(nothing);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^1: W+: y+, show the devices/ }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'little' }).waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual(nothing);
    // The title, as long as it is, leaves the button in sight.
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await context.close();
  });
});
