// Events about a campaign's moves: each is written once, in the transaction of the move, and by one of all processes.
import { tellMovesByClock } from '../../src/campaigns/tellMovesByClock.ts';
import { newWebhook } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let owner: TestUser;
let now = new Date('2026-03-01T00:00:00Z');
const startAt = new Date('2026-03-10T09:00:00Z');
const endAt = new Date('2026-03-20T09:00:00Z');
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  owner = await newUser(service, await organizationOf(service, service.application.id));
});
afterAll(() => service.stop());

const edit = 'mutation E($input: CampaignEditInput!) { campaignEdit(input: $input) { id } }';
const move =
  'mutation M($id: UUID!, $state: CampaignState!) { campaignChangeState(id: $id, state: $state) { version } }';

/** A SCHEDULED campaign of an application of its own, with a webhook. */
async function newCampaign(): Promise<{ id: string; webhook: string; events: () => Promise<string[]> }> {
  now = new Date('2026-03-01T00:00:00Z');
  // A token lives 90 minutes, and each test moves the clock by days.
  owner = await newUser(service, owner.organizationId);
  const { data: created } = await owner.ask(
    `mutation { applicationEdit(input: { projectId: "${await project()}", name: "A", bundleId: "b", platform: "iOS" }) { id } }`,
  );
  const { id: applicationId } = created!['applicationEdit'] as { id: string };
  const { id: webhook } = await newWebhook(owner, applicationId);
  const input = { applicationId, name: 'A', trigger: { event: 'e', type: 'CUSTOM' }, action: { type: 'message' } };
  const { data } = await owner.ask(edit, { input: { ...input, schedule: { startAt, endAt } } });
  const { id } = data!['campaignEdit'] as { id: string };
  await owner.ask(move, { id, state: 'SCHEDULED' });
  const events = async () => {
    const rows = await service.database.prisma.webhookDelivery.findMany({
      where: { webhookId: webhook },
      orderBy: { sequence: 'asc' },
    });
    return rows.map(({ body, orderKey }) => {
      const { type, timestamp, data } = JSON.parse(body) as {
        type: string;
        timestamp: string;
        data: Record<string, unknown>;
      };
      expect([type, orderKey, data['campaignId']]).toEqual(['campaign.state_changed', `campaign:${id}`, id]);
      return `${String(data['from'])} → ${String(data['to'])} v${String(data['version'])} ${timestamp.slice(0, 10)}`;
    });
  };
  return { id, webhook, events };
}

async function project(): Promise<string> {
  const { id } = service.application;
  return (await service.database.prisma.application.findUniqueOrThrow({ where: { id } })).projectId;
}

const tell = () => tellMovesByClock(service.database.pool, () => now);
const scheduled = 'DRAFT → SCHEDULED v2 2026-03-01';
const started = 'SCHEDULED → ACTIVE v2 2026-03-10';

test('a move of a user is written with its transaction', async () => {
  const { id, events } = await newCampaign();
  expect(await events()).toEqual([scheduled]);
  const { pool } = service.database;
  await pool.query('ALTER TABLE audit_entries ADD CONSTRAINT broken CHECK (false) NOT VALID');
  try {
    expect((await owner.ask(move, { id, state: 'PAUSED' })).codes).toEqual(['INTERNAL_SERVER_ERROR']);
  } finally {
    await pool.query('ALTER TABLE audit_entries DROP CONSTRAINT broken');
  }
  expect(await events()).toEqual([scheduled]);
});

test('moves by the clock are told once across processes, each with the time of the schedule', async () => {
  const { events } = await newCampaign();
  now = startAt;
  await Promise.all([tell(), tell(), tell()]);
  await tell();
  expect(await events()).toEqual([scheduled, started]);
  now = endAt;
  await Promise.all([tell(), tell()]);
  expect(await events()).toEqual([scheduled, started, 'ACTIVE → FINISHED v2 2026-03-20']);
});

test('after an outage over both ends, both moves are told in order', async () => {
  const { events } = await newCampaign();
  now = new Date('2026-03-30T00:00:00Z');
  await tell();
  expect(await events()).toEqual([scheduled, started, 'ACTIVE → FINISHED v2 2026-03-20']);
});

test('a move by the clock that nobody has told comes before that of the user, and once', async () => {
  const { id, events } = await newCampaign();
  now = new Date('2026-03-11T00:00:00Z');
  owner = await newUser(service, owner.organizationId);
  await owner.ask(move, { id, state: 'PAUSED' });
  await tell();
  expect(await events()).toEqual([scheduled, started, 'ACTIVE → PAUSED v3 2026-03-11']);
});

test('an edit tells the start that it makes by its schedule', async () => {
  const { id, events } = await newCampaign();
  now = new Date('2026-03-05T00:00:00Z');
  owner = await newUser(service, owner.organizationId);
  await owner.ask(edit, { input: { id, schedule: { startAt: '2026-03-04T00:00:00Z', endAt } } });
  await tell();
  expect(await events()).toEqual([scheduled, 'SCHEDULED → ACTIVE v3 2026-03-04']);
});

test('a schedule that is moved away starts nothing', async () => {
  const { id, events } = await newCampaign();
  await owner.ask(edit, { input: { id, schedule: { startAt: endAt, endAt: null } } });
  now = new Date('2026-03-11T00:00:00Z');
  await tell();
  expect(await events()).toEqual([scheduled]);
});

test('a webhook gets only the events that it wants, while it is enabled', async () => {
  const { id, webhook, events } = await newCampaign();
  const set = 'mutation W($input: WebhookEditInput!) { webhookEdit(input: $input) { secret } }';
  await owner.ask(set, { input: { id: webhook, events: ['ENTITLEMENT_EXPIRED'] } });
  await owner.ask(move, { id, state: 'PAUSED' });
  await owner.ask(set, { input: { id: webhook, events: null, enabled: false } });
  await owner.ask(move, { id, state: 'ACTIVE' });
  expect(await events()).toEqual([scheduled]);
});
