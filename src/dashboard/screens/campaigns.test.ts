// Campaigns in a browser: the list, one campaign with its figures, and the editor.
import type { Page } from 'playwright-core';
import { newCampaignEditor, whole, type CampaignEditor } from '../../../test/support/campaignEdits.ts';
import { fetchConfig, storeCampaign } from '../../../test/support/campaigns.ts';
import {
  expectFine,
  newDashboardUser,
  testEverywhere,
  useDashboard,
  violationsOf,
  waitForFocus,
  waitForValue,
} from '../../../test/support/dashboardPage.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../test/support/uploads.ts';

const { useWorkspace } = useDashboard();

// The list of campaigns in a browser: ten thousand of them, found, ordered, paged and moved, with the figures of the API.
describe('campaigns', () => {
  const dashboard = useWorkspace('editor');
  beforeAll(async () => {
    const { service } = dashboard;
    await service.database.pool.query(
      `INSERT INTO campaigns (id, application_id, name, state, created_at)
       SELECT gen_random_uuid(), $1, 'Many ' || i, 'DRAFT', '2026-01-01T00:00:00Z'::timestamptz + i * interval '1 s'
       FROM generate_series(1, 10000) AS i`,
      [service.application.id],
    );
    const shown = await storeCampaign(service, { name: 'Shown one', priority: 1000 });
    await storeCampaign(service, { name: 'W'.repeat(256), state: 'ARCHIVED' });
    const params = [{ name: 'campaignId', value: shown.id }];
    const events = [1, 2, 3].map(() => anEvent({ name: 'CampaignShown', type: 'system', params }));
    const report = aReport({ sessions: [aSession({ events })] });
    const sent = await service.client.send('reportSessions', { 'X-Api-Key': service.application.key.public }, report);
    expect(sent.status).toBe(200);
  });

  test('ten thousand campaigns are searched, ordered, paged and moved, and the URL says how', async () => {
    const { page } = await dashboard.open('campaigns');
    await page.getByText('1 to 50 of 10,001 campaigns').waitFor();
    await page
      .getByRole('button', { name: 'Last page' })
      .or(page.getByRole('button', { name: 'Page 201' }))
      .first()
      .click();
    await page.getByText('10,001 to 10,001 of 10,001 campaigns').waitFor();
    await page.getByRole('link', { name: 'Many 1', exact: true }).waitFor();

    await page.getByRole('searchbox', { name: 'Search by name' }).fill('many 777');
    await page.getByText('1 to 11 of 11 campaigns').waitFor();
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('');
    await page.getByLabel('Order').selectOption('PRIORITY');
    const first = page.getByRole('row').nth(1);
    await first.getByRole('link', { name: 'Shown one' }).waitFor();
    expect(await first.getByRole('cell').allInnerTexts()).toEqual(expect.arrayContaining(['Active', '3', '1,000']));
    await page.reload();
    await first.getByRole('link', { name: 'Shown one' }).waitFor();

    await page.getByRole('button', { name: 'Actions: Shown one' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await first.getByText('Paused').waitFor();
    await page.getByText('Archived 1', { exact: true }).click();
    await page.getByText('1 to 1 of 1 campaign').waitFor();
    expect(decodeURIComponent(page.url())).toContain('states=["ARCHIVED"]');
  });

  test('a viewer reads who can change campaigns', async () => {
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    const { page } = await dashboard.open('campaigns', { as: viewer });
    await page.getByText('Editors, admins and owners can create and change campaigns.').waitFor();
    await page.getByRole('link', { name: 'Many 10000', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Actions/ }).count()).toBe(0);
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { page } = await dashboard.open('campaigns?states=["DRAFT","ARCHIVED"]&sort="STATE"', look);
    await page.getByText('of 10,001 campaigns').waitFor();
    await expectFine(page);
  });
});

// One campaign in a browser: its figures are the API's, its JSON is the delivered one, and a stale page explains itself.
describe('campaign', () => {
  const dashboard = useWorkspace('editor');
  let editor: CampaignEditor;

  beforeAll(async () => {
    editor = await newCampaignEditor(dashboard.service);
  });

  const rule = {
    name: 'Autumn offer',
    description: 'Agreed with sales',
    priority: 7,
    trigger: { event: 'Viewed', type: 'CUSTOM', filters: [{ param: 'price', op: 'GTE', value: 20 }] },
    targeting: { platforms: ['iOS'], userProperties: [[{ name: 'plan', op: 'NOT_EXISTS' }]] },
    frequency: { total: 1, cooldownSeconds: 90_061 },
    action: { type: 'open', payload: { b: [1, null], a: 'x' }, blocking: true, deadlineSeconds: 9 },
  };
  const pathOf = (id: string): string => `/apps/${dashboard.service.application.id}/campaign?id=${id}`;

  /** Three devices have the event, two with a fitting price; one shows the campaign, which the user closes. */
  async function sendEvents(campaignId: string): Promise<void> {
    const now = new Date();
    const at = { timestamp: now.getTime() / 1_000, date: now.toISOString() };
    const { client, application } = dashboard.service;
    for (const [device, price] of Object.entries({ d1: 30, d2: 40, d3: 5 })) {
      const events = [anEvent({ ...at, name: 'Viewed', params: [{ name: 'price', value: price }] })];
      const id = { name: 'campaignId', value: campaignId };
      if (device === 'd1')
        events.push(
          anEvent({ ...at, name: 'CampaignShown', type: 'system', params: [id] }),
          anEvent({
            ...at,
            name: 'CampaignResolved',
            type: 'system',
            params: [id, { name: 'result', value: 'Dismissed' }],
          }),
        );
      const sessions = [aSession({ startDate: now.toISOString(), events })];
      const report = aReport({ device: aDevice(device), sessions });
      expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
    }
  }

  test('its figures open their devices, its JSON is what devices get, and another version is explained', async () => {
    const { id, version } = await editor.create(rule);
    await editor.move(id, 'ACTIVE');
    await sendEvents(id);
    const { page } = await dashboard.open(pathOf(id));
    await page.getByRole('heading', { name: 'Autumn offer' }).waitFor();
    const entry = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Campaigns' });
    expect(await entry.getAttribute('aria-current')).toBe('true');
    const { body } = await eventually(
      () => fetchConfig(dashboard.service, { query: '?platform=iOS' }),
      ({ body: { campaigns } }) => campaigns.some((campaign) => campaign.id === id),
    );
    const json = await page.getByRole('region', { name: 'JSON as devices get it' }).innerText();
    expect(JSON.parse(json)).toEqual(body.campaigns.find((campaign) => campaign.id === id));

    const results = page.getByRole('region', { name: 'Results since its creation' });
    expect((await results.locator('dl > div').allInnerTexts()).map((text) => text.split('\n')[1])).toEqual([
      ...['1', '0', '1', '0', '0', '0'],
    ]);
    for (const name of ['3 devices had the event Viewed', '2 devices with parameters that fit'])
      await page.getByRole('button', { name }).waitFor();
    await page.getByText('At least 1 device fits and has not shown it in the range.').waitFor();
    await results.getByText('the app has no code to show it').waitFor();
    await page.getByRole('button', { name: '1 devices have shown the campaign' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'd1' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('at least 1 d 1 h 1 min 1 s between two shows').first().waitFor();
    await page.getByRole('button', { name: '1: Dismissed, events of the range' }).waitFor();

    await editor.edited({ id, priority: 8, expectedVersion: version + 1 });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('You see version 2, and somebody has made version 3.').waitFor();
    await page.getByRole('button', { name: 'Load the new version' }).click();
    await page.getByText('Version 3, changed').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Active → Paused').waitFor();
    await page.getByText('It is paused: devices have dropped it.').waitFor();
  });

  test('a draft without a trigger cannot start and says why, and an unknown id shows the way back', async () => {
    const { id } = await editor.create({ name: 'Empty' });
    const { page } = await dashboard.open(pathOf(id));
    await page.getByRole('button', { name: 'Start now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start now' }).click();
    await page.getByText('trigger is needed by a campaign that is ACTIVE').waitFor();
    await page.goto(`${dashboard.service.url}/admin${pathOf('0192f0c4-1111-7000-8000-000000000001')}`);
    await page.getByText('This application has no such campaign').waitFor();
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const long = (letter: string, length = 256): string => letter.repeat(length);
    const trigger = { event: long('e'), type: 'CUSTOM', filters: [{ param: long('p'), op: 'EQ', value: long('v') }] };
    const action = { type: long('t'), payload: { text: long('y', 2_000) } };
    const { id } = await editor.create({ name: long('W'), trigger, action });
    await editor.create({ name: long('R'), priority: 9, trigger, action }).then(({ id }) => editor.move(id, 'ACTIVE'));
    const { page } = await dashboard.open(pathOf(id), look);
    await page
      .getByText('devices have shown the campaign')
      .or(page.getByText('have shown the campaign'))
      .first()
      .waitFor();
    await page
      .getByRole('link', { name: long('R') })
      .first()
      .waitFor();
    await expectFine(page);
  });
});

// The campaign editor in a browser: what is typed is what the API stores and devices get, and nothing typed is lost.
describe('campaignEditor', () => {
  const dashboard = useWorkspace('editor');
  let api: CampaignEditor;
  beforeAll(async () => {
    const { service } = dashboard;
    const { id } = service.application;
    await service.database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
    api = await newCampaignEditor(service);
  });

  const nameOf = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true });

  async function opened(search = '') {
    const open = await dashboard.open(`campaign-editor${search}`);
    await nameOf(open.page).waitFor();
    return open;
  }

  const fill = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
  const savedId = async (page: Page): Promise<string> => {
    await page.waitForURL(/\/campaigns\/[\da-f-]{36}$/);
    return page.url().split('/').at(-1)!;
  };
  const stored = async (id: string, fields: string): Promise<unknown> => {
    const { data } = await api.user.ask(`query C($id: UUID!) { campaign(id: $id) { ${fields} } }`, { id });
    return data!['campaign'];
  };

  async function fillTrigger(page: Page): Promise<void> {
    await page.getByRole('combobox', { name: 'Event' }).fill('Viewed');
    await press(page, 'Add condition');
    const row = page.getByRole('group', { name: 'Condition 1' });
    await row.getByRole('combobox', { name: 'Parameter' }).fill('price');
    await row.getByLabel('Comparison').selectOption('GTE');
    await row.getByLabel('Type').selectOption('NUMBER');
    await row.getByRole('textbox', { name: 'Value' }).fill('9.99');
  }

  test('writes a campaign with every part, and previews what devices get', async () => {
    const { page } = await opened();
    await nameOf(page).fill('Offer');
    await fillTrigger(page);
    await page.getByLabel('iOS').check();
    await page.getByRole('combobox', { name: 'Countries' }).fill('Germ');
    await page.getByRole('option', { name: 'Germany (DE)' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'App version now' }).getByLabel('Lowest').fill('2.14.3');
    await press(page, 'Add conditions on the user');
    const user = page.getByRole('group', { name: 'Group 1' });
    await user.getByRole('combobox', { name: 'Property' }).fill('plan');
    await user.getByLabel('Comparison').selectOption('IN');
    await user.getByRole('textbox', { name: 'Values' }).fill('"pro, or more", iPhone15,2, plus');
    await fill(page, 'Over all time', '3');
    await fill(page, 'Start (Europe/Berlin)', '2030-07-01T09:30');
    await fill(page, 'Kind', 'open');
    await fill(page, 'Payload', '{"screen": "offer",}');
    await page.getByText('This is no JSON: look at line 1, column 20.').waitFor();
    await fill(page, 'Payload', '{"screen": "offer"}');
    await press(page, 'Format the JSON');
    await waitForValue(page.getByLabel('Payload'), '{\n  "screen": "offer"\n}');
    const shown = page.getByRole('region', { name: 'What devices get' }).locator('pre, code').last();
    await shown.filter({ hasText: 'pro, or more' }).filter({ hasText: '"screen": "offer"' }).waitFor();
    const preview = JSON.parse((await shown.textContent())!) as object;
    await page.keyboard.press('Control+Enter');
    const id = await savedId(page);
    const parts =
      'trigger { event type filters { param op value } } schedule { startAt endAt } targeting { platforms }';
    expect(await stored(id, parts)).toEqual({
      trigger: { event: 'Viewed', type: 'CUSTOM', filters: [{ param: 'price', op: 'GTE', value: 9.99 }] },
      schedule: { startAt: '2030-07-01T07:30:00.000Z', endAt: null },
      targeting: { platforms: ['iOS'] },
    });
    await api.move(id, 'SCHEDULED');
    const { client, application } = dashboard.service;
    const delivered = async () => {
      const { body } = await client.send('getCampaigns', { 'X-Api-Key': application.key.public });
      return (body as { campaigns: object[] }).campaigns;
    };
    expect(await eventually(delivered, ({ length }) => length > 0)).toEqual([{ ...preview, id, version: 2 }]);
  });

  test('an edit that changes nothing changes nothing: every value comes back as it was', async () => {
    const { id } = await api.create(whole);
    const { page } = await opened(`?id=${id}`);
    await press(page, 'Save');
    await savedId(page);
    expect(await stored(id, 'version history(limit: 1) { changes { field } }')).toEqual({
      version: 2,
      history: [{ changes: [] }],
    });
  });

  test('another version is explained, and what is typed stays', async () => {
    const { id } = await api.create({ name: 'Before', priority: 1 });
    const { page } = await opened(`?id=${id}`);
    await nameOf(page).fill('Mine');
    await api.edited({ id, priority: 9 });
    await press(page, 'Save');
    await page.getByText('Changed since you began: Priority.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await press(page, 'Load version 2 and keep my changes');
    await waitForValue(page.getByLabel('Priority'), '9');
    await waitForValue(nameOf(page), 'Mine');
    await press(page, 'Save');
    await savedId(page);
    expect(await stored(id, 'name priority version')).toEqual({ name: 'Mine', priority: 9, version: 3 });
  });

  test('problems stand at their fields, those that the service alone knows too, and leaving asks first', async () => {
    const trigger = { event: 'E', type: 'CUSTOM' };
    const { id } = await api.create({ name: 'Runs', trigger, action: { type: 'open' } });
    await api.move(id, 'ACTIVE');
    const { page } = await opened(`?id=${id}`);
    await page.getByRole('combobox', { name: 'Event' }).fill('');
    await fill(page, 'In one session', '1,5');
    await press(page, 'Save');
    await page.getByText('One value cannot be used').waitFor();
    await press(page, 'Add condition');
    await press(page, 'Add condition');
    await press(page, 'Save');
    await page.getByText('6 values cannot be used').waitFor();
    // The first field has the focus, and its list is open.
    await waitForFocus(page.getByRole('combobox', { name: 'Event' }));
    await page.keyboard.press('Escape');
    expect(await violationsOf(page)).toEqual([]);
    await press(page, /^Trigger, Condition 2: Enter a value/);
    const second = page.getByRole('group', { name: 'Condition 2' });
    await waitForFocus(second.getByLabel('Value', { exact: true }));
    await second.getByRole('button', { name: 'Remove condition 2' }).click();
    await press(page, 'Remove condition 1');
    await press(page, 'Save');
    await page.getByText('One value cannot be used').waitFor();
    await waitForFocus(page.getByLabel('In one session', { exact: true }));
    await fill(page, 'In one session', '1');
    await press(page, 'Save');
    await page.getByRole('button', { name: /^Trigger: / }).click();
    await page.getByRole('combobox', { name: 'Event' }).and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.getByRole('link', { name: 'Live' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('In one session').inputValue()).toBe('1');
    await page.getByRole('link', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(/\/live/);
  });

  test('a viewer reads who can edit', async () => {
    const { page } = await dashboard.newPage();
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    await dashboard.logIn(page, 'campaign-editor', viewer);
    await page.getByText('Editors, admins and owners can write and edit campaigns.').waitFor();
  });

  testEverywhere('it has no violation of accessibility', async (look) => {
    const { id } = await api.create({ ...whole, name: 'x'.repeat(256) });
    const { page } = await dashboard.open(`campaign-editor?copy=${id}`, look);
    await page.getByText('What devices get').waitFor();
    await expectFine(page);
  });
});
