// What devices send, in a browser: the first event, the live view, the list of devices and one device.
import type { Page, Request, Route } from 'playwright-core';
import { auditLines } from '../../../test/support/auditLines.ts';
import { parseCurl, sendCurl } from '../../../test/support/curl.ts';
import {
  expectFine,
  logIn,
  newDashboardUser,
  stopClock,
  testEverywhere,
  useDashboard,
  violationsOf,
  type Workspace,
  waitForFocus,
} from '../../../test/support/dashboardPage.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { expectOpensEverywhere } from '../../../test/support/opensEverywhere.ts';
import { storeHolder, storeLine } from '../../../test/support/storedLines.ts';
import { longText, numberId, strangeId } from '../../../test/support/strangeTexts.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../test/support/uploads.ts';
import { time } from '../parts/figures.ts';

const { useWorkspace } = useDashboard();

// The first-event page in a browser: its own command is run as shown, unsigned and signed, and the event turns the page green.
describe('firstRun', () => {
  async function opened(dashboard: Workspace) {
    const opened = await dashboard.open('first-event');
    await opened.page.getByText('Waiting for your first event …').waitFor();
    return opened;
  }

  const shownCommand = async (page: Page) => parseCurl(await page.getByText(/^curl -i /).innerText());

  describe('a service that takes unsigned uploads', () => {
    const dashboard = useWorkspace('admin');

    test('the command is sent as shown, and the page says by itself that its event is there', async () => {
      await expectOpensEverywhere(dashboard, { path: 'first-event', seen: 'Waiting for your first event' });
      const { page } = await opened(dashboard);
      expect(await sendCurl(await shownCommand(page))).toEqual({ status: 200, body: {} });
      await page.getByText('The event LevelCompleted has arrived').waitFor();
      await page.getByRole('link', { name: 'device-1' }).waitFor();
      expect(page.url()).toBe(dashboard.urlOf('first-event'));
      await page.getByRole('link', { name: 'Watch the live view' }).click();
      await page.getByRole('cell', { name: 'LevelCompleted' }).waitFor();
      await expectOpensEverywhere(dashboard, { path: 'first-event', seen: 'has arrived' });
    });

    test('a viewer reads who can see the keys, and sees the event arrive', async () => {
      const viewer = await newDashboardUser(dashboard.service, 'viewer');
      const { page } = await dashboard.open('first-event', { as: viewer });
      await page.getByText('Admins and owners can read the keys of an application.').waitFor();
      await page.getByText('The event LevelCompleted has arrived').waitFor();
      expect(await page.content()).not.toContain('pub_');
    });

    test('by plain http the command is there, its text can be copied by the keyboard, and the page says how to sign', async () => {
      const { page, expected } = await dashboard.newPage();
      // The browser says of each page by plain http that it ignores this header.
      expected.push(/Cross-Origin-Opener-Policy/);
      const elsewhere = 'http://dashboard.example';
      await page.route(`${elsewhere}/**`, async (route) => {
        const url = route.request().url().replace(elsewhere, dashboard.service.url);
        await route.fulfill({ response: await route.fetch({ url }) });
      });
      await logIn(page, elsewhere, { ...dashboard.user, path: dashboard.pathOf('first-event') });
      await page.getByText('Open this page by https to sign the command here.').waitFor();
      expect((await shownCommand(page)).url).toBe(`${elsewhere}/api/v1/session`);
      await stopClock(page);
      await page.getByRole('button', { name: 'Copy the command' }).click();
      await page.getByRole('button', { name: 'Selected: the command' }).waitFor();
      expect(await page.evaluate('String(getSelection())')).toContain('curl -i http://dashboard.example');
      // A read that is under way has no page to respond to.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
  });

  describe('a service that takes signed uploads alone', () => {
    const dashboard = useWorkspace('admin', { signatureRequired: true });

    test('the page says why the unsigned command is refused, signs it, and records that the secret was read', async () => {
      const { service } = dashboard;
      const { page } = await opened(dashboard);
      expect((await sendCurl(await shownCommand(page))).status).toBe(403);
      await page.getByText('This service takes signed uploads alone').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await auditLines(service, dashboard.user.organizationId)).toEqual([]);
      await page.getByRole('button', { name: 'Sign the command' }).click();
      await page.getByText(/^The command is signed\./).waitFor();
      expect(await sendCurl(await shownCommand(page))).toEqual({ status: 200, body: {} });
      await page.getByText('The event LevelCompleted has arrived').waitFor();
      await page.getByText('An upload was refused').waitFor({ state: 'detached' });
      const { id: applicationId, key } = service.application;
      const read = { action: 'apiKeyReveal', objectType: 'apiKey', objectId: key.public, details: { applicationId } };
      expect(await auditLines(service, dashboard.user.organizationId)).toEqual([
        { actor: dashboard.user.email, ...read },
      ]);
      expect(await page.content()).not.toContain(key.secret);
    });
  });
});

// The live view in a browser: it opens everywhere, an event appears by itself, and what was refused says why.
describe('live', () => {
  const dashboard = useWorkspace('viewer');

  async function send(name: string, deviceId = 'd1'): Promise<void> {
    const { client, application } = dashboard.service;
    const sessions = [aSession({ events: [anEvent({ name, params: [{ name: 'level', value: 7 }] })] })];
    const report = aReport({ device: aDevice(deviceId), sessions });
    expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
  }

  test('an event appears by itself, filters are in the URL, and a refused upload says why', async () => {
    const { page } = await dashboard.open('live');
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
  });

  test('a read that takes longer than a turn is awaited, until it is lost, or with another question or page', async () => {
    const { page } = await dashboard.newPage();
    const held: Route[] = [];
    const aborted: Request[] = [];
    const asksEvents = (request: Request) => request.postData()?.includes('query LiveEvents') ?? false;
    page.on('requestfailed', (request) => asksEvents(request) && aborted.push(request));
    const isHeld = (count: number) => eventually(async () => held.length === count, Boolean);
    const isAborted = (route: Route) => eventually(async () => aborted.includes(route.request()), Boolean);
    await send('Before');
    await page.clock.install();
    await dashboard.logIn(page, 'live');
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
    expect([aborted.length, held.length]).toEqual([3, 4]);
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    await send('x'.repeat(256));
    const { page } = await dashboard.open('live', look);
    await page.getByText('x'.repeat(256)).first().waitFor();
    await expectFine(page);
  });
});

// The list of devices in a browser: its rows are the API's, its URL names search, order and page, and a stranger's id opens.
describe('devices', () => {
  const dashboard = useWorkspace('admin');
  beforeAll(async () => {
    for (let number = 0; number < 55; number += 1) await send(`device-${number}`, 'many');
    await send('hidden', 'many');
    for (const id of [strangeId, longText, numberId]) await send(id, id);
    await send(numberId, numberId, 3);
    await dashboard.user.ask(
      'mutation ($id: UUID!) { applicationEdit(input: { id: $id, testDevices: ["hidden"] }) { id } }',
      {
        id: dashboard.service.application.id,
      },
    );
  });

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
    const { data } = await dashboard.user.ask(
      `query ($id: UUID!) { devices(applicationId: $id, ${fields}) { nodes { id } total } }`,
      { id: dashboard.service.application.id },
    );
    return (data as { devices: { nodes: { id: string }[] } }).devices.nodes.map(({ id }) => id);
  }

  test('its rows are the API’s, page by page and in the chosen order, and test devices are there on demand', async () => {
    const { page } = await dashboard.open('devices');
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
  });

  test('search, filter and user are in the URL, and every stranger’s id opens its device', async () => {
    const { page } = await dashboard.open('devices');
    await page.getByLabel('Device or user').fill('QUOTED');
    await page.getByText('1 device', { exact: true }).waitFor();
    await page.waitForURL(/search=QUOTED/);
    await page.reload();
    await page.getByText('1 device', { exact: true }).waitFor();
    expect(await idsOn(page)).toEqual([strangeId]);
    for (const id of [strangeId, longText, numberId]) {
      await page.goto(dashboard.urlOf(`devices?search=${encodeURIComponent(JSON.stringify(id))}`));
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

    await page.goto(dashboard.urlOf(`devices`));
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
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open('devices', look);
    await page.getByText('58 devices, 50 on this page').waitFor();
    await expectFine(page);
  });
});

// One device in a browser: sessions with their events, properties, installs, purchases and attribution, as the API has them.
describe('device', () => {
  const dashboard = useWorkspace('admin');
  const pathOf = (id: string): string =>
    `/apps/${dashboard.service.application.id}/device?id=${encodeURIComponent(JSON.stringify(id))}`;
  beforeAll(async () => {
    await fill(strangeId);
  });

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
    const { page } = await dashboard.open(pathOf(strangeId));
    expect(await page.locator('main pre').first().textContent()).toBe(strangeId);
    const timeline = page.getByRole('region', regionOf('Timeline'));
    await timeline.getByText('The newest 20 of 25 sessions').waitFor();
    await timeline.getByText('no. 25', { exact: true }).waitFor();
    await timeline.getByText('1 min 30 s').first().waitFor();
    await timeline.getByText('Event 99').waitFor();
    await timeline.getByText('In the order in which they arrived. Times by the device’s clock.').waitFor();
    const about = page.getByRole('region', regionOf('About'));
    await about.getByText('newest session, device’s clock').waitFor();
    const { data } = await dashboard.user.ask(
      'query ($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) { sessions(limit: 1) { finishedAt } } applications { timeZone } }',
      { app: dashboard.service.application.id, id: strangeId },
    );
    type Newest = { device: { sessions: { finishedAt: string }[] }; applications: { timeZone: string }[] };
    const { device, applications } = data as Newest;
    const activity = about.locator('dl > div').filter({ hasText: 'Last activity' });
    expect(await activity.innerText()).toContain(
      time(device.sessions[0]!.finishedAt, applications[0]!.timeZone, 'full'),
    );
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
  });

  test('an admin marks it as a test device and the others stay; a viewer reads who can', async () => {
    const { id } = dashboard.service.application;
    await dashboard.user.ask(
      'mutation ($id: UUID!) { applicationEdit(input: { id: $id, testDevices: ["other"] }) { id } }',
      {
        id,
      },
    );
    const testDevices = async (): Promise<unknown> => {
      const { data } = await dashboard.user.ask('{ applications { testDevices } }');
      return (data as { applications: { testDevices: string[] }[] }).applications[0]!.testDevices;
    };
    const { page } = await dashboard.open(pathOf(strangeId));
    await page.getByRole('button', { name: 'Mark as a test device' }).click();
    await page.getByRole('button', { name: 'Unmark' }).waitFor();
    expect(await testDevices()).toEqual(expect.arrayContaining(['other', strangeId]));
    await page.getByRole('button', { name: 'Unmark' }).click();
    await page.getByRole('button', { name: 'Mark as a test device' }).waitFor();
    expect(await testDevices()).toEqual(['other']);
    await page.goto(`${dashboard.service.url}/admin${pathOf('nobody')}`);
    await page.getByText('Nothing of this device has arrived').waitFor();

    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    const other = await dashboard.open(pathOf(strangeId), { as: viewer });
    await other.page.getByText('Admins and owners can mark test devices.').waitFor();
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open(pathOf(strangeId), look);
    await page.getByText('Events 1 to 100').waitFor();
    await page.getByText('Bought once').waitFor();
    await expectFine(page);
  });
});
