// query campaign: each field's value, for campaigns of the caller's own organization only.
import { randomUUID } from 'node:crypto';
import { storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());

test('shows every field', async () => {
  const now = new Date();
  const endAt = new Date(now.getTime() + 60_000);
  const stored = await storeCampaign(
    service,
    {
      name: 'Whole',
      description: 'Notes',
      priority: 7,
      trigger: { event: 'Bought', type: 'CUSTOM', filters: [{ param: 'price', op: 'GT', value: 3 }] },
      targeting: {
        platforms: ['iOS'],
        appVersion: { min: 2 ** 53 - 1 },
        userProperties: [[{ name: 'vip', op: 'EXISTS' }]],
      },
      frequency: { total: 1 },
      action: { type: 'open', payload: [1, { a: null }] },
      endAt,
    },
    now,
  );
  const { data } = await viewer.ask(
    `query C($id: UUID!) { campaign(id: $id) {
      id application { id project { name } } name description state version priority
      trigger { event type filters { param op value } }
      targeting { platforms appVersion { min max } osVersion { min } countries userProperties { name op value } }
      frequency { perSession perDay total cooldownSeconds } schedule { startAt endAt }
      action { type payload blocking deadlineSeconds } createdAt updatedAt allowedTransitions
      stats { shown resolved { completed unavailable } unavailableReasons { timedOut } }
    } }`,
    { id: stored.id },
  );
  expect(data!['campaign']).toEqual({
    id: stored.id,
    application: { id: service.application.id, project: { name: 'A project' } },
    name: 'Whole',
    description: 'Notes',
    state: 'ACTIVE',
    version: 1,
    priority: 7,
    trigger: { event: 'Bought', type: 'CUSTOM', filters: [{ param: 'price', op: 'GT', value: 3 }] },
    targeting: {
      platforms: ['iOS'],
      appVersion: { min: 2 ** 53 - 1, max: null },
      osVersion: null,
      countries: [],
      userProperties: [[{ name: 'vip', op: 'EXISTS', value: null }]],
    },
    frequency: { perSession: null, perDay: null, total: 1, cooldownSeconds: null },
    schedule: { startAt: null, endAt: endAt.toISOString() },
    action: { type: 'open', payload: [1, { a: null }], blocking: false, deadlineSeconds: null },
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    allowedTransitions: ['PAUSED', 'FINISHED'],
    stats: { shown: 0, resolved: { completed: 0, unavailable: 0 }, unavailableReasons: { timedOut: 0 } },
  });
});

test("null for another organization's, a deleted application's and an unknown one alike", async () => {
  const other = await service.newApplication();
  const foreign = await storeCampaign({ database: service.database, application: other });
  const own = await storeCampaign(service);
  const ask = async (id: string) => (await viewer.ask(`{ campaign(id: "${id}") { id } }`)).data;
  expect(await ask(own.id)).toEqual({ campaign: { id: own.id } });
  const { prisma } = service.database;
  const where = { id: service.application.id };
  await prisma.application.update({ where, data: { deletedAt: new Date() } });
  for (const id of [foreign.id, own.id, randomUUID()]) expect(await ask(id)).toEqual({ campaign: null });
  await prisma.application.update({ where, data: { deletedAt: null } });
});
