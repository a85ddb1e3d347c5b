// Campaign.history: who changed a campaign, when and what, field by field, for every role of the organization and nobody else.
import type { CampaignState } from '../../src/campaigns/campaignRecord.ts';
import { newCampaignEditor, whole, type CampaignEditor } from '../support/campaignEdits.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

interface Change {
  version: number;
  at: string;
  by: string;
  action: string;
  fromState: CampaignState | null;
  toState: CampaignState | null;
  changes: { field: string; before: unknown; after: unknown; valuesKept: boolean }[];
}

let service: TestService;
let editor: CampaignEditor;
let viewer: TestUser;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  editor = await newCampaignEditor(service);
  viewer = await newUser(service, editor.user.organizationId, 'viewer');
});
beforeEach(() => {
  now = new Date();
});
afterAll(() => service.stop());

const shown = 'version at by action fromState toState changes { field before after valuesKept }';
async function history(id: string, args = '', user = viewer): Promise<Change[]> {
  const { data, text } = await user.ask(`{ campaign(id: "${id}") { history${args} { ${shown} } } }`);
  if (!data?.['campaign']) throw new Error(text);
  return (data['campaign'] as { history: Change[] }).history;
}
/** `[field, before, after]` of the newest change. */
async function newest(id: string) {
  const [change] = await history(id, '(limit: 1)');
  expect(change!.changes.every(({ valuesKept }) => valuesKept)).toBe(true);
  return change!.changes.map(({ field, before, after }) => [field, before, after]);
}
async function moved(id: string, state: string): Promise<void> {
  const { errors } = await editor.move(id, state);
  expect(errors).toEqual([]);
}
const { trigger, action } = whole;

test('a creation, edits and moves, each with its author, newest first', async () => {
  const { id } = await editor.create({ name: 'Offer', trigger, action: { type: 'open' } });
  await moved(id, 'ACTIVE');
  const colleague = await newUser(service, viewer.organizationId, 'admin');
  await editor.edit({ id, name: 'Better offer' }, colleague);
  await moved(id, 'PAUSED');
  const changes = await history(id);
  const by = editor.user.email;
  const kept = (field: string, before: unknown, after: unknown) => ({ field, before, after, valuesKept: true });
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
  const move = { at, by, action: 'campaignChangeState', changes: [] };
  const edit = { at, action: 'campaignEdit', fromState: null, toState: null };
  expect(changes).toEqual([
    { ...move, version: 4, fromState: 'ACTIVE', toState: 'PAUSED' },
    { ...edit, version: 3, by: colleague.email, changes: [kept('name', 'Offer', 'Better offer')] },
    { ...move, version: 2, fromState: 'DRAFT', toState: 'ACTIVE' },
    {
      ...edit,
      ...{ version: 1, by },
      changes: [
        kept('name', null, 'Offer'),
        kept('trigger.event', null, trigger.event),
        kept('trigger.type', null, 'CUSTOM'),
        kept('trigger.filters', null, trigger.filters),
        kept('action.type', null, 'open'),
        kept('action.blocking', null, false),
      ],
    },
  ]);
  const audited = await colleague.ask(`{ auditLog(objectId: "${id}") { at } }`);
  expect(audited.data!['auditLog']).toEqual(changes.map(({ at }) => ({ at })));
});

test.each<[string, object, unknown[][]]>([
  ['the description', { description: null }, [['description', whole.description, null]]],
  ['the priority', { priority: null }, [['priority', 7, 0]]],
  [
    'the trigger',
    { trigger: { ...trigger, event: 'Sold', filters: [] } },
    [
      ['trigger.event', 'Bought', 'Sold'],
      ['trigger.filters', trigger.filters, []],
    ],
  ],
  [
    'the targeting',
    { targeting: { ...whole.targeting, countries: ['DE', 'FR'], appVersion: null, osVersion: { min: 3 } } },
    [
      ['targeting.countries', ['DE'], ['DE', 'FR']],
      ['targeting.appVersion', { min: 2 ** 53 - 1, max: null }, null],
      ['targeting.osVersion', null, { min: 3, max: null }],
    ],
  ],
  [
    'the frequency',
    { frequency: { perSession: 1, perDay: 5, cooldownSeconds: 4 } },
    [
      ['frequency.perDay', 2, 5],
      ['frequency.total', 3, null],
    ],
  ],
  [
    'the schedule',
    { schedule: { startAt: whole.schedule.startAt, endAt: '2999-03-01T10:30:00+01:00' } },
    [['schedule.endAt', whole.schedule.endAt, '2999-03-01T09:30:00.000Z']],
  ],
  [
    'the action',
    { action: { ...action, payload: 0, blocking: false, deadlineSeconds: null } },
    [
      ['action.payload', action.payload, 0],
      ['action.blocking', true, false],
      ['action.deadlineSeconds', 9, null],
    ],
  ],
  [
    'a part that is cleared',
    { trigger: null, targeting: null },
    [
      ['trigger.event', 'Bought', null],
      ['trigger.type', 'CUSTOM', null],
      ['trigger.filters', trigger.filters, null],
      ['targeting.platforms', ['iOS'], []],
      ['targeting.countries', ['DE'], []],
      ['targeting.userProperties', whole.targeting.userProperties, []],
      ['targeting.appVersion', { min: 2 ** 53 - 1, max: null }, null],
    ],
  ],
  [
    'another spelling of the same value',
    { targeting: { ...whole.targeting, userProperties: whole.targeting.userProperties, osVersion: null } },
    [],
  ],
  ['the stored values', { ...whole }, []],
])('field by field: %s', async (_, fields, expected) => {
  const { id } = await editor.create({ ...whole });
  await editor.edited({ id, ...fields });
  expect(await newest(id)).toEqual(expected);
});

test('back to an earlier value is a change like any other', async () => {
  const { id } = await editor.create({ priority: 1 });
  await editor.edited({ id, priority: 2 });
  await editor.edited({ id, priority: 1 });
  const priorities = (await history(id)).map(({ changes }) => changes.find(({ field }) => field === 'priority'));
  expect(priorities.map((change) => [change!.before, change!.after])).toEqual([
    [2, 1],
    [1, 2],
    [0, 1],
  ]);
});

test('what the clock does is no change, and a move names the state that the clock had brought', async () => {
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString();
  const schedule = { startAt: inSeconds(10), endAt: inSeconds(30) };
  const { id } = await editor.create({ trigger, action, schedule });
  await moved(id, 'SCHEDULED');
  now = new Date(now.getTime() + 20_000);
  await editor.edited({ id, priority: 3 });
  expect(await newest(id)).toEqual([['priority', 0, 3]]);
  await moved(id, 'ACTIVE');
  now = new Date(now.getTime() + 20_000);
  expect(await history(id)).toHaveLength(3);
  await moved(id, 'ARCHIVED');
  const moves = (await history(id)).map(({ version, fromState, toState }) => [version, fromState, toState]);
  expect(moves).toEqual([
    [4, 'FINISHED', 'ARCHIVED'],
    [3, null, null],
    [2, 'DRAFT', 'SCHEDULED'],
    [1, null, null],
  ]);
});

test('pages lose and repeat nothing', async () => {
  const { id } = await editor.create();
  for (let priority = 1; priority <= 6; priority += 1) await editor.edited({ id, priority });
  const versions: number[] = [];
  let before = 'null';
  for (;;) {
    const page = await history(id, `(limit: 2, before: ${before})`);
    if (page.length === 0) break;
    versions.push(...page.map(({ version }) => version));
    before = `"${page.at(-1)!.at}"`;
  }
  expect(versions).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect((await history(id, '(limit: null)')).map(({ version }) => version)).toEqual(versions);
  expect(await history(id, '(before: "0001-01-01T00:00:00Z")')).toEqual([]);
  expect(await history(id, '(before: "9999-12-31T23:59:59Z", limit: 200)')).toHaveLength(7);
});

test("a list of campaigns reads all histories in one statement, a mutation shows its own change, and strangers' ids show nothing", async () => {
  const { id } = await editor.create({ name: 'One' });
  const one = await countStatements(() => viewer.ask('{ campaigns(limit: 1) { history { at } } }'));
  await editor.create({ name: 'Two' });
  expect(await countStatements(() => viewer.ask('{ campaigns { history { at } } }'))).toBe(one);
  const { data } = await editor.user.ask(
    `mutation { campaignEdit(input: { id: "${id}", priority: 9 }) { history(limit: 1) { version } } }`,
  );
  expect(data!['campaignEdit']).toEqual({ history: [{ version: 2 }] });
  const stranger = await newUser(service, await newOrganization(service));
  expect((await stranger.ask(`{ campaign(id: "${id}") { history { at } } }`)).data).toEqual({ campaign: null });
});

test('a list with histories gives each campaign its own', async () => {
  const [one, two] = [await editor.create({ name: 'page 1' }), await editor.create({ name: 'page 2' })];
  await editor.edited({ id: one.id, name: 'page 3' });
  const { data } = await viewer.ask('{ campaigns(search: "page", sort: NAME) { id history(limit: 1) { version } } }');
  expect(data!['campaigns']).toEqual([
    { id: two.id, history: [{ version: 1 }] },
    { id: one.id, history: [{ version: 2 }] },
  ]);
});

test('edits whose values were not kept name their fields, and changes outlive their author', async () => {
  const { id } = await storeCampaign(service);
  expect(await history(id)).toEqual([]);
  const gone = await newUser(service, viewer.organizationId, 'editor');
  await editor.edit({ id, name: 'New', priority: 4 }, gone);
  await service.database.prisma.campaignChange.deleteMany({ where: { campaignId: id } });
  await service.database.prisma.user.delete({ where: { id: gone.id } });
  const unknown = (field: string) => ({ field, before: null, after: null, valuesKept: false });
  expect(await history(id)).toMatchObject([
    { version: 2, by: gone.email, changes: [unknown('name'), unknown('priority')] },
  ]);
});

test('kept changes never change, and go with their campaign', async () => {
  const { id } = await editor.create();
  const { prisma, pool } = service.database;
  await expect(pool.query("UPDATE campaign_changes SET changes = '[]'")).rejects.toThrow('never change');
  await prisma.campaign.delete({ where: { id } });
  expect(await prisma.campaignChange.count({ where: { campaignId: id } })).toBe(0);
});
