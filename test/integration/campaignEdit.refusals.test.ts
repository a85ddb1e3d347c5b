// mutation campaignEdit: its refusals and their order; a refused edit changes nothing.
import { randomUUID } from 'node:crypto';
import type { CampaignContent } from '../../src/campaigns/campaignRecord.ts';
import { newCampaignEditor, type CampaignEditor } from '../support/campaignEdits.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser } from '../support/testUsers.ts';

let service: TestService;
let editor: CampaignEditor;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  editor = await newCampaignEditor(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  await service.database.prisma.campaign.deleteMany();
});

const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const store = (fields: Partial<CampaignContent> = {}) => storeCampaign(service, fields, at(-60));

test.each([
  ['a payload key with NUL', '{"\\u0000":1}'],
  ['a payload key with half of a surrogate pair', '{"a":[{"\\ud83d":1}]}'],
  ['a payload text with NUL', '["\\u0000"]'],
  ['a payload of 33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['a number beyond double precision', '[1e400]'],
])('refused before it is executed: %s', async (_, payload) => {
  const query = 'mutation E($input: CampaignEditInput!) { campaignEdit(input: $input) { id } }';
  const body = JSON.stringify({
    query,
    variables: { input: { name: 'A', action: { type: 'a', payload: 'PAYLOAD' } } },
  });
  const answer = await fetch(`${service.url}/admin/graphql/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${editor.user.token}` },
    body: body.replace('"PAYLOAD"', payload),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('input.action.payload');
});

test.each(['other', 'constructor', '__proto__', 'toString'])(
  'a variable in a literal that was not sent is missing, also one called %s',
  async (name) => {
    const { id } = await store();
    const query = `mutation E($${name}: JSON, $sent: JSON) {
      campaignEdit(input: { id: "${id}", action: { type: "a", payload: { k: $${name}, l: [$${name}, $sent] } } }) {
        action { payload } } }`;
    const { data } = await editor.user.ask(query, { sent: 1 });
    expect(data!['campaignEdit']).toEqual({ action: { payload: { l: [null, 1] } } });
  },
);

test('a whole number that reading has changed is refused, in a payload and in a condition', async () => {
  const { id } = await store();
  const query = `mutation { campaignEdit(input: { id: "${id}",
    trigger: { event: "E", type: CUSTOM, filters: [{ param: "p", op: EQ, value: 9007199254740993 }] },
    action: { type: "a", payload: [9007199254740993] } }) { id } }`;
  const { errors } = await editor.user.ask(query);
  const fields = errors[0]!.extensions['fields'] as { path: string }[];
  expect(fields.map(({ path }) => path)).toEqual(['input.trigger.filters[0].value', 'input.action.payload']);
});

test('every field that is wrong is named, at once and before anything is looked up', async () => {
  const wrong = { id: randomUUID(), name: null, priority: 1_001, frequency: { perDay: 0 }, action: { type: ' ' } };
  const paths = ['input.name', 'input.priority', 'input.frequency.perDay', 'input.action.type'];
  expect(await editor.refusal(wrong)).toEqual({ code: 'BAD_USER_INPUT', paths });
  expect(await editor.refusal({})).toEqual({ code: 'BAD_USER_INPUT', paths: ['input.applicationId', 'input.name'] });
});

test("another organization's campaign and application are answered like unknown ones", async () => {
  const application = await service.newApplication();
  const foreign = await storeCampaign({ database: service.database, application });
  for (const id of [foreign.id, randomUUID()])
    expect(await editor.refusal({ id, name: 'B' })).toEqual({ code: 'NOT_FOUND' });
  for (const applicationId of [application.id, randomUUID()]) {
    expect(await editor.refusal({ applicationId, name: 'B' })).toEqual({ code: 'NOT_FOUND' });
  }
  const { id } = await store();
  expect(await editor.refusal({ id, applicationId: application.id })).toEqual({
    code: 'BAD_USER_INPUT',
    paths: ['input.applicationId'],
  });
  expect(await service.database.prisma.campaign.findUnique({ where: { id: foreign.id } })).toMatchObject({
    name: foreign.name,
    version: 1,
  });
});

test('a deleted application has no campaigns to edit, and a viewer edits none', async () => {
  const { id } = await store();
  const { prisma } = service.database;
  const where = { id: service.application.id };
  const viewer = await newUser(service, editor.user.organizationId, 'viewer');
  expect(await editor.refusal({ id, name: null }, viewer)).toEqual({ code: 'FORBIDDEN' });
  await prisma.application.update({ where, data: { deletedAt: now } });
  expect(await editor.refusal({ id, name: 'B' })).toEqual({ code: 'NOT_FOUND' });
  expect(await editor.refusal({ applicationId: where.id, name: 'B' })).toEqual({ code: 'NOT_FOUND' });
  await prisma.application.update({ where, data: { deletedAt: null } });
});

test('a stale version is a conflict, before everything else about the campaign', async () => {
  const { id } = await editor.create();
  await editor.edited({ id, expectedVersion: 1 });
  const conflict = { code: 'CONFLICT', reason: 'version', currentVersion: 2 };
  expect(await editor.refusal({ id, expectedVersion: 1, applicationId: randomUUID() })).toEqual(conflict);
  expect(await editor.refusal({ id, expectedVersion: 0 })).toEqual(conflict);
  expect(await editor.edited({ id, expectedVersion: 2 })).toMatchObject({ version: 3 });
});

test('a campaign that is over, by hand or by the clock, is a conflict', async () => {
  const conflict = { code: 'CONFLICT', reason: 'not_editable' };
  const over: Partial<CampaignContent>[] = [
    { state: 'FINISHED' },
    { state: 'ARCHIVED' },
    { endAt: at(-1) },
    { state: 'SCHEDULED', startAt: at(-2), endAt: now },
  ];
  for (const fields of over) {
    const { id } = await store(fields);
    expect(await editor.refusal({ id, schedule: { endAt: at(60) } })).toEqual(conflict);
  }
});

test('of several edits with one version that arrive together, one wins', async () => {
  const { id } = await store();
  const lock = await holdLock(service.database.pool, 'SELECT 1 FROM campaigns WHERE id = $1 FOR UPDATE', id);
  const names = ['a', 'b', 'c'];
  const answering = Promise.all(names.map((name) => editor.edit({ id, name, expectedVersion: 1 })));
  await lock.waiting(3);
  await lock.release();
  const answers = await answering;
  const won = answers.filter(({ data }) => data).map(({ data }) => (data!['campaignEdit'] as { name: string }).name);
  expect(won).toHaveLength(1);
  expect(answers.flatMap(({ errors }) => errors.map(({ extensions }) => extensions))).toEqual(
    Array.from({ length: 2 }, () => ({ code: 'CONFLICT', reason: 'version', currentVersion: 2 })),
  );
  expect(await editor.edited({ id })).toMatchObject({ name: won[0], version: 3 });
});
