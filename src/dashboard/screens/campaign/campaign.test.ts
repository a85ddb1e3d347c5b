// One campaign in a browser: its figures are the API's, its JSON is the delivered one, and a stale page explains itself.
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
import { newCampaignEditor, type CampaignEditor } from '../../../../test/support/campaignEdits.ts';
import { fetchConfig } from '../../../../test/support/campaigns.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { aDevice, anEvent, aReport, aSession } from '../../../../test/support/uploads.ts';

let dashboard: DashboardTest;
let editor: CampaignEditor;
let user: Awaited<ReturnType<typeof newDashboardUser>>;

beforeAll(async () => {
  dashboard = await startDashboard();
  editor = await newCampaignEditor(dashboard.service);
  user = await newDashboardUser(dashboard.service, 'editor');
});
afterAll(() => dashboard.stop());

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
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...user, path: pathOf(id) });
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
  expect(problems).toEqual([]);
  await context.close();
});

test('a draft without a trigger cannot start and says why, and an unknown id shows the way back', async () => {
  const { id } = await editor.create({ name: 'Empty' });
  const { page, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...user, path: pathOf(id) });
  await page.getByRole('button', { name: 'Start now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start now' }).click();
  await page.getByText('trigger is needed by a campaign that is ACTIVE').waitFor();
  await page.goto(`${dashboard.service.url}/admin${pathOf('0192f0c4-1111-7000-8000-000000000001')}`);
  await page.getByText('This application has no such campaign').waitFor();
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const long = (letter: string, length = 256): string => letter.repeat(length);
    const trigger = { event: long('e'), type: 'CUSTOM', filters: [{ param: long('p'), op: 'EQ', value: long('v') }] };
    const action = { type: long('t'), payload: { text: long('y', 2_000) } };
    const { id } = await editor.create({ name: long('W'), trigger, action });
    await editor.create({ name: long('R'), priority: 9, trigger, action }).then(({ id }) => editor.move(id, 'ACTIVE'));
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...user, path: pathOf(id) });
    await page
      .getByText('devices have shown the campaign')
      .or(page.getByText('have shown the campaign'))
      .first()
      .waitFor();
    await page
      .getByRole('link', { name: long('R') })
      .first()
      .waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
