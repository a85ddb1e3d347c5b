// Keys and webhooks in a browser.
import { auditLines } from '../../../test/support/auditLines.ts';
import { newDashboardUser, stopClock, useDashboard, violationsOf } from '../../../test/support/dashboardPage.ts';
import { expectOpensEverywhere } from '../../../test/support/opensEverywhere.ts';
import { aReport } from '../../../test/support/uploads.ts';
import { deliver, enqueue, newWebhook, startReceiver } from '../../../test/support/webhooks.ts';

const { useWorkspace } = useDashboard();

// Keys in a browser: created, labelled, its secret read once and recorded, watched and revoked.
describe('keys', () => {
  const dashboard = useWorkspace('admin');

  interface Key {
    public: string;
    label: string | null;
    secret: string;
    revokedAt: string | null;
  }

  async function keys(): Promise<Key[]> {
    const { data } = await dashboard.user.ask(
      '{ applications { apiKeys(includeRevoked: true) { public label secret revokedAt } } }',
    );
    return (data!['applications'] as { apiKeys: Key[] }[])[0]!.apiKeys;
  }

  const actions = async () =>
    (await auditLines(dashboard.service, dashboard.user.organizationId)).map(
      ({ action, objectId }) => `${action} ${objectId}`,
    );

  test('an admin creates a key, reads its secret alone, labels it and revokes the old one', async () => {
    const { service } = dashboard;
    const { page, context } = await dashboard.newPage();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const old = service.application.key.public;
    expect((await service.client.send('reportSessions', { 'X-Api-Key': old }, aReport())).status).toBe(200);
    await service.deps.keyUses.stop();
    await dashboard.logIn(page, 'keys');
    await page
      .getByRole('row', { name: old })
      .getByText(/now|(second|minute)s? ago/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Label' }).fill('Release 4.2');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Key pair' });
    const created = await dialog.getByText(/^pub_/).innerText();
    expect(await actions()).toEqual([`apiKeyCreate ${created}`]);
    await dialog.getByRole('button', { name: 'Show the secret' }).click();
    const secret = await dialog.getByText(/^sec_/).innerText();
    expect(await violationsOf(page)).toEqual([]);
    await stopClock(page);
    await dialog.getByRole('button', { name: 'Copy the secret key' }).click();
    await dialog.getByRole('button', { name: 'Copied: the secret key' }).waitFor();
    await page.clock.resume();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    // One line for the one key: the secrets of the others stay unread.
    expect(await actions()).toEqual([`apiKeyCreate ${created}`, `apiKeyReveal ${created}`]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'Release 4.2' }).getByText('Never').waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Label …: Release 4.2' }).click();
    await page.getByRole('textbox', { name: 'Label' }).fill('Release 4.3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'Release 4.3' }).waitFor();

    await page
      .getByRole('row', { name: old })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.getByText('Within a second the API refuses each request with this key').waitFor();
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    await page.getByText(old).waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Revoked keys too' }).click();
    await page
      .getByRole('row', { name: old })
      .getByText(/^Revoked \d/)
      .waitFor();
    expect(page.url()).toContain('revoked=true');
    expect(await keys()).toMatchObject([
      { public: old, label: null, secret: '', revokedAt: expect.any(String) as string },
      { public: created, label: 'Release 4.3', secret, revokedAt: null },
    ]);
    await page.getByRole('button', { name: 'Revoke …: Release 4.3' }).click();
    await page.getByText('It is the last live key of the application.').waitFor();
  });

  test('a viewer reads who can, and labels of 256 characters widen no page', async () => {
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    const seen = 'Admins and owners can read and edit the keys of an application.';
    await expectOpensEverywhere(dashboard, { path: 'keys', login: viewer, seen });
    const variables = { id: dashboard.service.application.id, label: 'W'.repeat(256) };
    const create =
      'mutation K($id: UUID!, $label: String) { apiKeyCreate(applicationId: $id, label: $label) { public } }';
    await dashboard.user.ask(create, variables);
    await expectOpensEverywhere(dashboard, { path: `keys?revoked=true`, seen: variables.label });
  });
});

// Webhooks in a browser: created with a secret that is shown once, their deliveries watched, read and sent again.
describe('webhooks', () => {
  const dashboard = useWorkspace('admin');
  let applicationId: string;
  beforeAll(async () => {
    applicationId = dashboard.service.application.id;
  });

  async function webhooks(): Promise<{ id: string; url: string; events: string[] | null; enabled: boolean }[]> {
    const query = 'query W($id: UUID!) { webhooks(applicationId: $id) { id url events enabled } }';
    return (await dashboard.user.ask(query, { id: applicationId })).data!['webhooks'] as never;
  }

  test('an admin creates a webhook, verifies with its secret, sends a failed delivery again, turns it off and deletes it', async () => {
    await using receiver = await startReceiver();
    const { service } = dashboard;
    const { page } = await dashboard.open('webhooks');
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
    expect(await webhooks()).toEqual([]);
  });

  test('more deliveries than a page are paged, long URLs widen no page, and a viewer reads who can', async () => {
    const url = `https://shop.example.com/${'w'.repeat(2_000)}`;
    const { id } = await newWebhook(dashboard.user, applicationId, { url });
    for (let n = 0; n <= 50; n += 1) await enqueue(dashboard.service, { applicationId, data: { n } });
    await expectOpensEverywhere(dashboard, { path: `webhooks?webhook=${id}`, seen: 'No response yet' });
    const { page } = await dashboard.open(`webhooks?webhook=${id}`);
    await page.getByText('50 deliveries on this page').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('1 delivery on this page').waitFor();
    await page.waitForURL(/after=/);
    await page.reload();
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByText('50 deliveries on this page').waitFor();
    const viewer = await newDashboardUser(dashboard.service, 'viewer');
    const seen = 'Admins and owners can read and edit webhooks.';
    await expectOpensEverywhere(dashboard, { path: 'webhooks', login: viewer, seen });
  });

  test('the events that a webhook has lost stand beside it', async () => {
    const { service } = dashboard;
    const { id } = await newWebhook(dashboard.user, applicationId, { url: 'https://shop.example.com/lost' });
    const backlog = { webhookId: id, room: 0, dropped: 1_234n, lastDroppedAt: new Date() };
    await service.database.prisma.webhookBacklog.create({ data: backlog });
    const { page } = await dashboard.open('webhooks');
    await page
      .getByRole('row', { name: '/lost' })
      .getByText(/^1,234 events lost, last .*: too many deliveries waited$/)
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
