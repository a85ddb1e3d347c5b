// The campaign editor in a browser: what is typed is what the API stores and devices get, and nothing typed is lost.
import type { Page } from 'playwright-core';
import { newCampaignEditor, whole, type CampaignEditor } from '../../../../test/support/campaignEdits.ts';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  schemes,
  startDashboard,
  violationsOf,
  waitForFocus,
  waitForValue,
  widths,
  type DashboardLogin,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { eventually } from '../../../../test/support/eventually.ts';

let dashboard: DashboardTest;
let editor: DashboardLogin;
let api: CampaignEditor;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { service } = dashboard;
  const { id } = service.application;
  await service.database.prisma.application.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
  [editor, api] = [await newDashboardUser(service, 'editor'), await newCampaignEditor(service)];
  path = `/apps/${id}/campaign-editor`;
});
afterAll(() => dashboard.stop());

const nameOf = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true });

async function opened(search = '') {
  const open = await openDashboard(dashboard.browser);
  await logIn(open.page, dashboard.service.url, { ...editor, path: `${path}${search}` });
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
  const { page, problems, context } = await opened();
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
  const parts = 'trigger { event type filters { param op value } } schedule { startAt endAt } targeting { platforms }';
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
  expect(problems).toEqual([]);
  await context.close();
});

test('an edit that changes nothing changes nothing: every value comes back as it was', async () => {
  const { id } = await api.create(whole);
  const { page, context } = await opened(`?id=${id}`);
  await press(page, 'Save');
  await savedId(page);
  expect(await stored(id, 'version history(limit: 1) { changes { field } }')).toEqual({
    version: 2,
    history: [{ changes: [] }],
  });
  await context.close();
});

test('another version is explained, and what is typed stays', async () => {
  const { id } = await api.create({ name: 'Before', priority: 1 });
  const { page, context } = await opened(`?id=${id}`);
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
  await context.close();
});

test('problems stand at their fields, those that the service alone knows too, and leaving asks first', async () => {
  const trigger = { event: 'E', type: 'CUSTOM' };
  const { id } = await api.create({ name: 'Runs', trigger, action: { type: 'open' } });
  await api.move(id, 'ACTIVE');
  const { page, context } = await opened(`?id=${id}`);
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
  await context.close();
});

test('a viewer reads who can edit', async () => {
  const { page, context } = await openDashboard(dashboard.browser);
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByText('Editors, admins and owners can write and edit campaigns.').waitFor();
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { id } = await api.create({ ...whole, name: 'x'.repeat(256) });
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...editor, path: `${path}?copy=${id}` });
    await page.getByText('What devices get').waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
