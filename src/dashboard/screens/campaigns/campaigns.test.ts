// The list of campaigns in a browser: ten thousand of them, found, ordered, paged and moved, with the figures of the API.
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
import { aReport, aSession, anEvent } from '../../../../test/support/uploads.ts';

let dashboard: DashboardTest;
let path: string;
let editor: Awaited<ReturnType<typeof newDashboardUser>>;
beforeAll(async () => {
  dashboard = await startDashboard();
  const { service } = dashboard;
  editor = await newDashboardUser(service, 'editor');
  path = `/apps/${service.application.id}/campaigns`;
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
afterAll(() => dashboard.stop());

test('ten thousand campaigns are searched, ordered, paged and moved, and the URL says how', async () => {
  const { page, problems, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...editor, path });
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
  expect(problems).toEqual([]);
  await context.close();
});

test('a viewer reads who can change campaigns', async () => {
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  const { page, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...viewer, path });
  await page.getByText('Editors, admins and owners can create and change campaigns.').waitFor();
  await page.getByRole('link', { name: 'Many 10000', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /^Actions/ }).count()).toBe(0);
  await context.close();
});

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('it has no violation of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    await logIn(page, dashboard.service.url, { ...editor, path: `${path}?states=["DRAFT","ARCHIVED"]&sort="STATE"` });
    await page.getByText('of 10,001 campaigns').waitFor();
    expect([await violationsOf(page), await overflowOf(page), problems]).toEqual([[], 0, []]);
    await context.close();
  });
});
