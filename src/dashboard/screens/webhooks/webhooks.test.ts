// Webhooks in a browser: created with a secret that is shown once, their deliveries watched, read and sent again.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  violationsOf,
  type DashboardTest,
} from '../../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../../test/support/opensEverywhere.ts';
import { deliver, enqueue, newWebhook, startReceiver } from '../../../../test/support/webhooks.ts';

let dashboard: DashboardTest;
let admin: Awaited<ReturnType<typeof newDashboardUser>>;
let applicationId: string;
let path: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = await newDashboardUser(dashboard.service, 'admin');
  applicationId = dashboard.service.application.id;
  path = `/apps/${applicationId}/webhooks`;
});
afterAll(() => dashboard.stop());

async function webhooks(): Promise<{ id: string; url: string; events: string[] | null; enabled: boolean }[]> {
  const query = 'query W($id: UUID!) { webhooks(applicationId: $id) { id url events enabled } }';
  return (await admin.ask(query, { id: applicationId })).data!['webhooks'] as never;
}

test('an admin creates a webhook, verifies with its secret, sends a failed delivery again, turns it off and deletes it', async () => {
  await using receiver = await startReceiver();
  const { service, browser } = dashboard;
  const { page, problems, context } = await openDashboard(browser);
  await logIn(page, service.url, { ...admin, path });
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('URL').fill('ftp://example.com');
  await page.getByRole('radio', { name: 'These events:' }).check();
  await page.getByRole('button', { name: 'Create the webhook' }).click();
  await page.getByText('Choose at least one event.').waitFor();
  await page.getByRole('checkbox', { name: 'campaign.state_changed' }).check();
  await page.getByRole('button', { name: 'Create the webhook' }).click();
  await page.getByRole('dialog').getByText('must be an https:// URL').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel('URL').fill(receiver.url);
  await page.keyboard.press('Enter');
  receiver.secret = await page.getByText(/^whsec_/).innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const row = page.getByRole('row', { name: receiver.url });
  await row.getByText('campaign.state_changed').waitFor();
  expect(await page.content()).not.toContain(receiver.secret);
  const [{ id, ...webhook } = { id: '' }] = await webhooks();
  expect(webhook).toEqual({ url: receiver.url, events: ['CAMPAIGN_STATE_CHANGED'], enabled: true });

  receiver.respond = (response) => void response.writeHead(500).end();
  await enqueue(service, { applicationId, data: { campaignId: 'c' } });
  await deliver(service, id);
  await row.getByRole('link', { name: 'Deliveries' }).click();
  const delivery = page.getByRole('row', { name: '500, no success' });
  await delivery.getByText('Waiting').waitFor();
  await delivery.getByRole('button', { name: 'Body' }).click();
  await page.getByRole('dialog').getByText('"campaignId": "c"').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  receiver.respond = (response) => void response.end();
  await delivery.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('row', { name: 'Waiting 500, no success 0, last' }).waitFor();
  await deliver(service, id);
  // The page reads again while something waits.
  await page.getByRole('row', { name: 'Delivered' }).waitFor();
  expect(receiver.received.map(({ verified }) => verified)).toEqual([true, true]);
  await page.getByLabel('State').selectOption('Given up');
  await page.getByText('No deliveries here').waitFor();
  expect(page.url()).toContain(`webhook=${id}&state=PARKED`);

  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('switch', { name: 'On' }).uncheck();
  await page.getByRole('radio', { name: 'All events, later ones too' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Off').waitFor();
  await page.getByText('nothing can be sent again until it is on').waitFor();
  expect(await webhooks()).toEqual([{ id, url: receiver.url, events: null, enabled: false }]);
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();
  expect([await webhooks(), problems]).toEqual([[], []]);
  await context.close();
});

test('more deliveries than a page are paged, long URLs widen no page, and a viewer reads who can', async () => {
  const url = `https://shop.example.com/${'w'.repeat(2_000)}`;
  const { id } = await newWebhook(admin, applicationId, { url });
  for (let n = 0; n <= 50; n += 1) await enqueue(dashboard.service, { applicationId, data: { n } });
  await expectOpensEverywhere(dashboard, { path: `${path}?webhook=${id}`, login: admin, seen: 'No response yet' });
  const { page, context } = await openDashboard(dashboard.browser);
  await logIn(page, dashboard.service.url, { ...admin, path: `${path}?webhook=${id}` });
  await page.getByText('50 deliveries on this page').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('1 delivery on this page').waitFor();
  await page.waitForURL(/after=/);
  await page.reload();
  await page.getByRole('button', { name: 'First page' }).click();
  await page.getByText('50 deliveries on this page').waitFor();
  await context.close();
  const viewer = await newDashboardUser(dashboard.service, 'viewer');
  const seen = 'Admins and owners can read and edit webhooks.';
  await expectOpensEverywhere(dashboard, { path, login: viewer, seen });
});

test('the events that a webhook has lost stand beside it', async () => {
  const { service, browser } = dashboard;
  const { id } = await newWebhook(admin, applicationId, { url: 'https://shop.example.com/lost' });
  const backlog = { webhookId: id, room: 0, dropped: 1_234n, lastDroppedAt: new Date() };
  await service.database.prisma.webhookBacklog.create({ data: backlog });
  const { page, problems, context } = await openDashboard(browser);
  await logIn(page, service.url, { ...admin, path });
  await page
    .getByRole('row', { name: '/lost' })
    .getByText(/^1,234 events lost, last .*: too many deliveries waited$/)
    .waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});
