// Reports in a browser: their figures are the API's, their questions are in the URL, and each figure opens its devices.
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { storeCampaign } from '../../../test/support/campaigns.ts';
import {
  expectFine,
  rowsOf,
  testEverywhere,
  useDashboard,
  violationsOf,
  waitForValue,
} from '../../../test/support/dashboardPage.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { expectOpensEverywhere } from '../../../test/support/opensEverywhere.ts';
import { longText, strangeId } from '../../../test/support/strangeTexts.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../test/support/uploads.ts';
import { count, size } from '../parts/figures.ts';

const { useWorkspace } = useDashboard();

// The overview in a browser: where a login lands, figures that equal the API's, and what opens behind them.
describe('overview', () => {
  const dashboard = useWorkspace('viewer');

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
        await dashboard.user.ask(
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
    const { page } = await dashboard.newPage();
    const { url } = dashboard.service;
    await dashboard.logIn(page, '/');
    await page.waitForURL(/\/first-event$/);
    await page.goto(dashboard.urlOf('overview'));
    await page.getByText('No activity in this range').waitFor();
    await sendAll();
    await sendRefused();
    await page.goto(`${url}/admin/`);
    await page.waitForURL(/\/overview$/);

    const [from, to] = await Promise.all([
      page.getByLabel('From').inputValue(),
      page.getByLabel(/^To \(/).inputValue(),
    ]);
    const { data } = await dashboard.user.ask(
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
  });

  test('tiles, points and names open the devices behind them, and the URL has the figure of the chart', async () => {
    const { page } = await dashboard.open('overview');
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
  });

  test('a browser whose language is no language tag draws the chart too', async () => {
    const { page, context } = await dashboard.newPage();
    // As in Chrome with LANG=C.
    const language = `{ configurable: true, get: () => 'en-US@posix' }`;
    await context.addInitScript(`Object.defineProperty(Navigator.prototype, 'language', ${language})`);
    await dashboard.logIn(page, 'overview');
    await page.locator('.u-over').waitFor();
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open('overview', look);
    await page.getByText('W'.repeat(256)).first().waitFor();
    await page.getByText('This range is not finished').waitFor();
    await expectFine(page);
  });
});

// The quotas on the overview in a browser: use and refusals as the API has them, where the service has quotas.
describe('quotas', () => {
  const dashboard = useWorkspace('viewer', { quota: { bytes: 1_048_576, devices: 2, signedBytes: 1_048_576 } });

  async function purchase(): Promise<number> {
    const { client, application } = dashboard.service;
    const body = { device: { id: randomUUID() }, transactions: [{ id: randomUUID() }] };
    return (await client.send('reportStoreTransactions', { 'X-Api-Key': application.key.public }, body)).status;
  }

  test('shows what the API says of use and refusals, at both widths and in both schemes', async () => {
    expect([await purchase(), await purchase(), await purchase()]).toEqual([200, 200, 503]);
    await dashboard.service.deps.quotas.flush();
    const asked = '{ applications { ingestQuotas { operation signed bytes newDevices refused refusedInDay } } }';
    const { data } = await dashboard.user.ask(asked);
    const [{ ingestQuotas }] = data!['applications'] as [{ ingestQuotas: Record<string, number>[] }];
    const purchases = ingestQuotas.at(-2)!;
    expect(purchases).toMatchObject({
      operation: 'reportStoreTransactions',
      newDevices: 2,
      refused: 1,
      refusedInDay: 1,
    });

    const { page } = await dashboard.open('overview');
    await page.getByRole('heading', { name: 'Quotas' }).waitFor();
    const none = ['0 B of 1 MiB', '0 of 2', '0', '0'];
    expect(await rowsOf(page, 'Use of the quotas in this hour, by the kind of request')).toEqual([
      ['Sessions', ...none],
      ['Attribution', ...none],
      ['Purchases', `${size(purchases['bytes']!)} of 1 MiB`, `${count(2)} of 2`, '1', '1'],
      ['Signed sessions', '0 B of 1 MiB', '', '0', '0'],
    ]);
    await expectOpensEverywhere(dashboard, { path: 'overview', seen: 'devices keep what was refused' });
  });
});

// The events in a browser: a question that the URL names, figures that equal the API's, and the line that a click opens.
describe('events', () => {
  const dashboard = useWorkspace('viewer');

  /** Nine values: the first has 20 events of the device `much`, each other has one of the device `little`. */
  beforeAll(async () => {
    const many = Array.from({ length: 20 }, () => ['sku', 'first'] as const);
    const few = Array.from({ length: 7 }, (_, at) => ['sku', `sku ${at}`] as const);
    await send('much', 'Purchased', many);
    await send('little', 'Purchased', [...few, ['sku', 10]]);
    await send('little', 'W'.repeat(256), [['x'.repeat(256), 'y'.repeat(256)]]);
  });

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
    const { page } = await dashboard.newPage();
    await page.clock.install();
    await dashboard.logIn(page, 'events');
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
    const [from, to] = await Promise.all([
      page.getByLabel('From').inputValue(),
      page.getByLabel(/^To \(/).inputValue(),
    ]);
    const input = {
      ...{ applicationId: dashboard.service.application.id, from, to, measure: 'SUM', property: 'price' },
      events: [{ name: 'Purchased', type: 'CUSTOM' }],
    };
    const { data } = await dashboard.user.ask(
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
  });

  test('seven lines of a breakdown are drawn, others are chosen, and a click opens the line that it is nearest to', async () => {
    const { page } = await dashboard.newPage();
    const asked = [
      `events=${JSON.stringify([{ name: 'Purchased', type: 'CUSTOM' }])}`,
      `breakdown=${JSON.stringify({ scope: 'EVENT', property: 'sku' })}`,
    ];
    await dashboard.logIn(page, `events?${asked.join('&')}`);
    const table = page.getByRole('region', { name: 'Figures of the whole range' });
    await table.getByRole('row').nth(9).waitFor();
    expect(await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual([
      '',
      'first',
      '20',
      '71.4 %',
    ]);
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
  });

  test('names are searched, show their parameters, and open their series', async () => {
    const { page } = await dashboard.open('events');
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
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.newPage(look);
    const events = [
      { name: 'W'.repeat(256), type: 'CUSTOM' },
      { name: 'Purchased', type: 'CUSTOM', filters: [{ scope: 'EVENT', property: 'sku', op: 'EXISTS' }] },
    ];
    const breakdown = { scope: 'EVENT', property: 'x'.repeat(256) };
    const asked = `events=${JSON.stringify(events)}&breakdown=${JSON.stringify(breakdown)}`;
    await dashboard.logIn(page, `events?${asked}`);
    await page.getByRole('region', { name: 'Figures of the whole range' }).waitFor();
    await page.getByRole('region', { name: 'Names of events' }).waitFor();
    await page.locator('.u-over').hover();
    await expectFine(page);
    await page.getByRole('button', { name: /show the parameters of W/ }).click();
    await page.getByRole('dialog').getByRole('cell').first().waitFor();
    await expectFine(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^1: W+: y+, show the devices/ }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'little' }).waitFor();
    await expectFine(page);
    // The title, as long as it is, leaves the button in sight.
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  });
});

// The funnel in a browser: it is built and sent as a URL, its figures are the API's, and each opens its devices.
describe('funnel', () => {
  const dashboard = useWorkspace('viewer');
  beforeAll(async () => {
    await send('d1', ['Viewed', 'Bought']);
    await send('d2', ['Viewed']);
    await send('d3', ['Viewed', 'Bought'], 'web');
    await send(strangeId, ['Viewed', 'Bought'], longText);
  });

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
    const { page } = await dashboard.open('funnel');
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

    const { data } = await dashboard.user.ask(
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
  });

  /** In the filter form that was opened last. */
  async function fillFilter(page: Page, property: string, value: string): Promise<void> {
    await page.getByRole('combobox', { name: 'Property' }).last().fill(property);
    await page.getByLabel('Value').last().fill(value);
  }

  test('a filter that is filled and not added is taken along, or says what it misses', async () => {
    const { page } = await dashboard.open('funnel');
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
  });

  /** The range that the page begins with. */
  const range = () => ({
    from: new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10),
    to: new Date().toISOString().slice(0, 10),
  });

  test('a value of the breakdown opens its device, whatever its id', async () => {
    const { page } = await dashboard.open(`funnel${search}`);
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
  });

  testEverywhere('it has no violation of accessibility, with a result and with the drawer open', async (look) => {
    const { page } = await dashboard.open(`funnel${search}`, look);
    await page.getByRole('table', { name: 'Steps of the funnel by source' }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: '4 step 1: show devices' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'd2' }).waitFor();
    await expectFine(page);
  });
});

// Retention in a browser: its cohorts are the API's, empty ones are left out, and each figure opens its devices.
describe('retention', () => {
  const day = 86_400_000;
  const dashboard = useWorkspace('viewer');
  beforeAll(async () => {
    for (const [device, days] of Object.entries({ d1: [4, 3, 0], d2: [4], d3: [1, 0], d4: [0] }))
      for (const ago of days) await send(device, ago);
  });

  /** One session with one event, so many days ago. */
  async function send(device: string, ago: number): Promise<void> {
    const { client, application } = dashboard.service;
    const when = Date.now() - ago * day;
    const at = { timestamp: when / 1_000, date: new Date(when).toISOString() };
    const session = aSession({
      startDate: at.date,
      events: [anEvent({ ...at, name: ago === 0 ? 'Bought' : 'Viewed' })],
    });
    const report = aReport({ device: aDevice(device), sessions: [session] });
    expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
  }

  const text = (value: string): string => value.replace(/\s+/g, ' ').trim();

  test('its cohorts are the API’s, the row “All” says of how many, and each figure opens its devices', async () => {
    const { page } = await dashboard.open('retention');
    const table = page.getByRole('table', { name: 'Cohorts and how many came back' });
    await table.waitFor();
    const from = new Date(Date.now() - 29 * day).toISOString().slice(0, 10);
    const to = new Date().toISOString().slice(0, 10);
    const { data } = await dashboard.user.ask(
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
    const [back, began] = [
      sum(finished.map(({ periods }) => periods[1]!.count)),
      sum(finished.map(({ size }) => size)),
    ];
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
  });

  const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0);

  test('another question is in the URL, and one without cohorts says so', async () => {
    const { page } = await dashboard.open('retention');
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
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.newPage(look);
    const filters = [{ scope: 'EVENT', property: longText, op: 'NOT_EXISTS' }];
    const returning = JSON.stringify({ name: 'Viewed', type: 'CUSTOM', filters });
    const search = `?returning=${encodeURIComponent(returning)}`;
    await dashboard.logIn(page, `retention${search}`);
    await page.getByRole('table', { name: 'Cohorts and how many came back' }).waitFor();
    await expectFine(page);
  });
});
