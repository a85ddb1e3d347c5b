// query campaigns: filters, order and pages, and the state by the clock.
import { randomUUID } from 'node:crypto';
import type { CampaignContent } from '../../src/campaigns/campaignRecord.ts';
import { stateAt } from '../../src/campaigns/campaignState.ts';
import { campaignStates, editCampaign, storeCampaign } from '../support/campaigns.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  await service.database.prisma.campaign.deleteMany();
});

const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const store = (fields: Partial<CampaignContent>, created = now) => storeCampaign(service, fields, created);
async function names(args = '', user = viewer): Promise<string[]> {
  const { data, text } = await user.ask(`{ campaigns${args && `(${args})`} { name } }`);
  if (!data) throw new Error(text);
  return (data['campaigns'] as { name: string }[]).map(({ name }) => name);
}

test('newest first, in pages that neither repeat nor skip, also within one instant', async () => {
  for (let index = 0; index < 7; index += 1) await store({ name: `c${index}` }, at(index < 4 ? -60 : -index));
  const all = await names();
  expect(all.slice(0, 3)).toEqual(['c4', 'c5', 'c6']);
  const pages = [await names('limit: 3'), await names('limit: 3, offset: 3'), await names('limit: 3, offset: 6')];
  expect(pages.flat()).toEqual(all);
  expect(await names('limit: null, offset: null')).toEqual(all);
  expect(await names('offset: 7')).toEqual([]);
});

test('the state filter and the shown state follow the clock as campaignState.ts does', async () => {
  const moments = [null, at(-10), at(10)];
  for (const state of campaignStates)
    for (const startAt of moments)
      for (const endAt of moments) await store({ name: `${state}`, state, startAt, endAt });
  const stored = await service.database.prisma.campaign.findMany();
  for (const later of [0, 10, 20]) {
    now = at(later);
    for (const state of campaignStates) {
      const { data } = await viewer.ask(`{ campaigns(state: ${state}, limit: 200) { id state } }`);
      const shown = data!['campaigns'] as { id: string; state: string }[];
      const wanted = stored.filter((row) => stateAt(row, now) === state).map(({ id }) => id);
      expect(shown.map(({ id }) => id).sort()).toEqual(wanted.sort());
      expect(shown.every((row) => row.state === state)).toBe(true);
    }
  }
});

test('several states, and none beside one', async () => {
  for (const state of campaignStates) await store({ name: state, state });
  expect((await names('states: [ARCHIVED, DRAFT, DRAFT]')).sort()).toEqual(['ARCHIVED', 'DRAFT']);
  expect(await names('states: []')).toHaveLength(campaignStates.length);
  expect(await names('states: null, state: DRAFT')).toEqual(['DRAFT']);
  expect(await names('state: null, states: [PAUSED]')).toEqual(['PAUSED']);
  const { errors } = await viewer.ask('{ campaigns(state: DRAFT, states: [DRAFT]) { name } }');
  expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: 'states' }] });
});

describe('sort', () => {
  const pages = async (sort: string) => {
    const all = await names(`sort: ${sort}`);
    const paged = [await names(`sort: ${sort}, limit: 2`), await names(`sort: ${sort}, limit: 200, offset: 2`)];
    expect(paged.flat()).toEqual(all);
    return all;
  };

  test('by name in lower case, whatever the locale', async () => {
    for (const name of ['b', 'Á', 'C', 'a', '_']) await store({ name });
    expect(await pages('NAME')).toEqual(['_', 'a', 'b', 'C', 'Á']);
  });

  test('by priority from the highest, of equal ones by id', async () => {
    const rows = [];
    for (const priority of [5, 1_000, 5, 0]) rows.push(await store({ name: randomUUID(), priority }));
    const equal = [rows[0]!, rows[2]!].sort((one, other) => (one.id < other.id ? -1 : 1));
    const sorted = [rows[1]!, ...equal, rows[3]!];
    expect(await pages('PRIORITY')).toEqual(sorted.map(({ name }) => name));
  });

  test('by the last change and by creation, the latest first', async () => {
    const [first, second] = [await store({ name: 'first' }, at(-20)), await store({ name: 'second' }, at(-10))];
    await editCampaign(service, first, { name: 'first, edited' });
    expect(await pages('UPDATED')).toEqual(['first, edited', second.name]);
    expect(await pages('CREATED')).toEqual([second.name, 'first, edited']);
    expect(await names('sort: null')).toEqual([second.name, 'first, edited']);
  });

  test('by the state now', async () => {
    const past = { startAt: at(-20), endAt: at(-10) };
    await store({ name: 'over', state: 'SCHEDULED', ...past });
    for (const state of campaignStates.toReversed()) await store({ name: state, state, startAt: at(10) });
    expect(await pages('STATE')).toEqual([
      ...['DRAFT', 'SCHEDULED', 'ACTIVE', 'PAUSED'],
      ...(await names('states: [FINISHED], sort: STATE')),
      'ARCHIVED',
    ]);
    expect((await names('states: [FINISHED]')).sort()).toEqual(['FINISHED', 'over']);
  });
});

test('the search is a part of the name, without case and without special characters', async () => {
  for (const name of ['Summer 100% off', 'summer_sale', 'Über Alles', 'back\\slash']) await store({ name });
  expect((await names('search: "SUMMER"')).sort()).toEqual(['Summer 100% off', 'summer_sale']);
  expect(await names('search: "0% O"')).toEqual(['Summer 100% off']);
  expect(await names('search: "r_s"')).toEqual(['summer_sale']);
  expect(await names('search: "üBER"')).toEqual(['Über Alles']);
  expect(await names('search: "\\\\"')).toEqual(['back\\slash']);
  expect(await names('search: " \\u2003"')).toHaveLength(4);
});

test('only the own organization, and its applications that are not deleted', async () => {
  await store({ name: 'own' });
  const other = await service.newApplication();
  await storeCampaign({ database: service.database, application: other }, { name: 'other' });
  const stranger = await newUser(service, await organizationOf(service, other.id), 'owner');
  expect(await names()).toEqual(['own']);
  expect(await names('', stranger)).toEqual(['other']);
  expect(await names(`applicationId: "${service.application.id}"`)).toEqual(['own']);
  const texts = [other.id, randomUUID()].map(
    async (id) => (await viewer.ask(`{ campaigns(applicationId: "${id}") { name } }`)).text,
  );
  expect(new Set(await Promise.all(texts)).size).toBe(1);
  expect(await texts[0]).toContain('NOT_FOUND');
});

test.each([
  ['limit: 0', 'limit'],
  ['limit: 201', 'limit'],
  ['offset: -1', 'offset'],
  [`search: "${'x'.repeat(257)}"`, 'search'],
  ['search: "\\u0000"', 'search'],
])('%s is refused', async (args, path) => {
  const { errors } = await viewer.ask(`{ campaigns(${args}) { name } }`);
  expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path }] });
});

test('an empty draft shows nulls', async () => {
  await store({ state: 'DRAFT', trigger: null, action: null });
  const { data } = await viewer.ask(
    '{ campaigns { trigger { event } targeting { platforms } frequency { total } schedule { endAt } action { type } } }',
  );
  expect(data!['campaigns']).toEqual([
    { trigger: null, targeting: null, frequency: null, schedule: null, action: null },
  ]);
});

test('the number of statements does not grow with the campaigns', async () => {
  const query = '{ campaigns { name application { name project { name } } stats { shown } } }';
  const count = () => countStatements(() => viewer.ask(query));
  await store({});
  const one = await count();
  for (let index = 0; index < 20; index += 1) await store({});
  expect(await count()).toBe(one);
});

test('each campaign of a list has its own counts, also through a fragment and under another name', async () => {
  const ids = [(await store({ name: 'first' }, at(-1))).id, (await store({ name: 'second' })).id];
  const counts = ids.map((campaignId, index) => ({ campaignId, outcome: 'shown', count: index + 7 }));
  await service.database.prisma.campaignCount.createMany({ data: counts });
  const { data } = await viewer.ask('{ campaigns { ...F } } fragment F on Campaign { name counts: stats { shown } }');
  expect(data!['campaigns']).toEqual([
    { name: 'second', counts: { shown: 8 } },
    { name: 'first', counts: { shown: 7 } },
  ]);
});

test.each([
  ['trigger', '{ event }', { event: 'LevelCompleted' }],
  ['targeting', '{ countries }', { countries: ['DE'] }],
  ['frequency', '{ total }', { total: 3 }],
  ['action', '{ type }', { type: 'message' }],
])('a list has the %s for who selects it, whatever else is selected', async (field, fields, value) => {
  await store({ targeting: { countries: ['DE'] }, frequency: { total: 3 } });
  const { data } = await viewer.ask(`{
    alone: campaigns { ${field} ${fields} }
    renamed: campaigns { name other: ${field} ${fields} stats { shown } }
    spread: campaigns { ...F }
    inline: campaigns { ... on Campaign { ${field} @include(if: true) ${fields} } }
  } fragment F on Campaign { ${field} ${fields} }`);
  expect(data!['alone']).toEqual([{ [field]: value }]);
  expect(data!['renamed']).toEqual([{ name: 'A campaign', other: value, stats: { shown: 0 } }]);
  expect(data!['spread']).toEqual([{ [field]: value }]);
  expect(data!['inline']).toEqual([{ [field]: value }]);
});

test('campaigns of one instant come in the reverse order of their ids', async () => {
  const trigger = '{"event":"E","type":"CUSTOM"}';
  await service.database.pool.query(
    `INSERT INTO campaigns (id, application_id, name, state, trigger, action)
      SELECT id, $1, id, 'ACTIVE', $2, '{"type":"message"}'
      FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 20)) t`,
    [service.application.id, trigger],
  );
  const shown = await names();
  expect(shown).toHaveLength(20);
  expect(shown).toEqual(shown.toSorted().toReversed());
});
