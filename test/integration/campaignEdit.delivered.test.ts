// mutation campaignEdit of a delivered campaign: the campaign stays complete, and the configuration follows.
import type { CampaignContent } from '../../src/campaigns/campaignRecord.ts';
import { newCampaignEditor, whole, type CampaignEditor } from '../support/campaignEdits.ts';
import { fetchConfig, storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
const delivered = async () => (await fetchConfig(service)).body.campaigns;

test.each<['ACTIVE' | 'SCHEDULED', Record<string, unknown>, string[]]>([
  ['ACTIVE', { trigger: null, action: null }, ['input.trigger', 'input.action']],
  ['ACTIVE', { schedule: { endAt: '2000-01-01T00:00:00Z' } }, ['input.schedule.endAt']],
  ['ACTIVE', { schedule: null }, []],
  ['SCHEDULED', { schedule: null }, ['input.schedule.startAt']],
  [
    'SCHEDULED',
    { trigger: null, schedule: { endAt: '2000-01-01T00:00:00Z' } },
    ['input.trigger', 'input.schedule.startAt', 'input.schedule.endAt'],
  ],
  ['SCHEDULED', { schedule: { startAt: '2000-01-01T00:00:00Z' } }, []],
])('%s with %j lacks %j', async (state, fields, paths) => {
  const { id } = await store({ state, startAt: at(60), endAt: at(120) });
  const expected = paths.length > 0 ? { code: 'BAD_USER_INPUT', paths } : undefined;
  if (expected) expect(await editor.refusal({ id, ...fields })).toEqual(expected);
  else expect(await editor.edited({ id, ...fields })).toMatchObject({ version: 2 });
});

test('what devices get is at most so long, however many campaigns it is', async () => {
  const action = { type: 'open', payload: 'x'.repeat(40_000) };
  for (let count = 0; count < 103; count++) await store({ action });
  const drafts = [await store({ state: 'DRAFT', action }), await store({ state: 'DRAFT', action })];
  const answers = await Promise.all(drafts.map(({ id }) => editor.move(id, 'ACTIVE')));
  const [running, refused] = answers[0]!.codes.length === 0 ? [0, 1] : [1, 0];
  expect(answers[running]!.codes).toEqual([]);
  expect(answers[refused]!.errors[0]!.extensions['fields']).toEqual([
    { path: 'campaign', message: expect.stringContaining('4194304') as string },
  ]);
  const longer = { id: drafts[running]!.id, action: { type: 'open', payload: 'x'.repeat(65_000) } };
  expect(await editor.refusal(longer)).toEqual({ code: 'BAD_USER_INPUT', paths: ['input'] });
  expect((await editor.move(drafts[running]!.id, 'PAUSED')).codes).toEqual([]);
  expect((await editor.move(drafts[refused]!.id, 'ACTIVE')).codes).toEqual([]);
});

test('a draft and a paused campaign may lack anything', async () => {
  for (const state of ['DRAFT', 'PAUSED'] as const) {
    const { id } = await store({ state, endAt: at(-1) });
    expect(await editor.edited({ id, trigger: null, action: null })).toMatchObject({ state, version: 2 });
  }
});

test('what has begun by the clock stays active, and is delivered so', async () => {
  const { id } = await store({ state: 'SCHEDULED', startAt: at(-1), endAt: at(60) });
  const startAt = at(30).toISOString();
  expect(await editor.edited({ id, schedule: { startAt } })).toMatchObject({ state: 'ACTIVE', schedule: { startAt } });
  expect(await delivered()).toMatchObject([{ version: 2, schedule: { startAt: null, endAt: null } }]);
  const [row] = await service.database.prisma.campaign.findMany();
  expect(row).toMatchObject({ state: 'ACTIVE' });
});

test('an edit and a pause are in the next answer, with another revision', async () => {
  const { id } = await editor.create(whole);
  await editor.edited({ id, schedule: null });
  await editor.move(id, 'ACTIVE');
  const first = await fetchConfig(service);
  expect(first.body.campaigns).toMatchObject([{ id, name: 'Whole', version: 3, action: whole.action }]);
  await editor.edited({ id, name: 'Edited', action: { type: 'close' } });
  const second = await fetchConfig(service, { tag: first.headers['etag']! });
  expect(second.body.campaigns).toMatchObject([{ name: 'Edited', version: 4, action: { type: 'close' } }]);
  await editor.move(id, 'PAUSED');
  const third = await fetchConfig(service, { tag: second.headers['etag']! });
  expect(third.body.campaigns).toEqual([]);
  expect(new Set([first, second, third].map(({ body }) => body.revision)).size).toBe(3);
  await editor.edited({ id, name: 'Edited while paused' });
  expect((await fetchConfig(service, { tag: third.headers['etag']! })).status).toBe(304);
});

test('where devices get too much already, a campaign can still be paused and a draft edited', async () => {
  const action = { type: 'open', payload: 'x'.repeat(65_000) };
  const running = await store({ action });
  for (let count = 0; count < 65; count++) await store({ action });
  const draft = await store({ state: 'DRAFT' });
  expect(await editor.refusal({ id: running.id, name: 'New' })).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(await editor.edited({ id: draft.id, action })).toMatchObject({ version: 2 });
  expect((await editor.move(running.id, 'PAUSED')).codes).toEqual([]);
});
