// The queries of campaigns: one, many in pages, their number and their counts.
import { randomUUID } from 'node:crypto';
import {
  type CampaignContent,
  stateAt,
  type StoredCampaign,
  type StoredFrequency,
} from '../../src/campaigns/campaignRecord.ts';
import { campaignStats } from '../../src/campaigns/campaignFields.ts';
import { closeDaysOfShows, removeShows } from '../../src/campaigns/closeDaysOfShows.ts';
import { awayFromTurn } from '../support/awayFromTurn.ts';
import { campaignStates, editCampaign, storeCampaign } from '../support/campaigns.ts';
import { ok, sendReport } from '../support/reportSessions.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession, type Session } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// query campaign: each field's value, for campaigns of the caller's own organization only.
describe('campaign', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });

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
});

// query campaigns: filters, order and pages, and the state by the clock.
describe('campaigns', () => {
  let service: TestService;
  let viewer: TestUser;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
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

  test('the state filter and the shown state follow the clock as campaignRecord.ts does', async () => {
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
});

// query campaigns: pages under every order where many campaigns are equal, filters at their edges, and the count beside them.
describe('campaigns: pages', () => {
  let service: TestService;
  let viewer: TestUser;
  const now = new Date();
  beforeAll(async () => {
    service = await startTestService({ now: () => now });
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
    for (let index = 0; index < 24; index += 1) {
      const state = campaignStates[index % 3]!;
      const name = ['Sale', 'sale', 'SALE 50%', 'sale_x'][index % 4]!;
      await storeCampaign(service, { name, state, priority: index % 2 }, now);
    }
  });
  afterAll(() => service.stop());

  interface Row {
    id: string;
    name: string;
    state: string;
    priority: number;
  }
  async function rows(args: string): Promise<Row[]> {
    const { data, text } = await viewer.ask(`{ campaigns(${args}) { id name state priority } }`);
    if (!data) throw new Error(text);
    return data['campaigns'] as Row[];
  }
  async function count(args: string): Promise<number> {
    const { data, text } = await viewer.ask(`{ campaignsCount${args && `(${args})`} }`);
    if (!data) throw new Error(text);
    return data['campaignsCount'] as number;
  }

  test.each<[string, (row: Row) => string | number, boolean]>([
    ['CREATED', () => '', true],
    ['UPDATED', () => '', true],
    ['NAME', ({ name }) => name.toLowerCase(), false],
    ['PRIORITY', ({ priority }) => -priority, false],
    ['STATE', ({ state }) => campaignStates.findIndex((known) => known === state), false],
  ])('%s: pages neither repeat nor skip, and equal campaigns are in the order of their ids', async (...given) => {
    const [sort, keyOf, newestFirst] = given;
    const all = await rows(`sort: ${sort}`);
    const pages: Row[] = [];
    for (let offset = 0; offset < 25; offset += 5)
      pages.push(...(await rows(`sort: ${sort}, limit: 5, offset: ${offset}`)));
    expect(pages).toEqual(all);
    const compare = (one: string | number, other: string | number) => (one < other ? -1 : one > other ? 1 : 0);
    const sorted = all.toSorted(
      (one, other) => compare(keyOf(one), keyOf(other)) || compare(one.id, other.id) * (newestFirst ? -1 : 1),
    );
    expect(all).toEqual(sorted);
  });

  test.each([
    ['', 24],
    ['states: []', 24],
    ['state: DRAFT', 8],
    ['states: [DRAFT, ACTIVE, DRAFT]', 16],
    ['states: [ARCHIVED]', 0],
    ['search: ""', 24],
    ['search: "sale"', 24],
    ['search: "ALE"', 24],
    ['search: "%"', 6],
    ['search: "_"', 6],
    ['search: "%sale%"', 0],
    ['search: " "', 24],
    ['search: " 5"', 6],
    ['search: "\\\\"', 0],
    [`search: "${'🚀'.repeat(256)}"`, 0],
    ['search: "x", states: [SCHEDULED, ACTIVE]', 4],
  ])('%s: the count is that of all pages', async (args, expected) => {
    expect([await count(args), (await rows(`${args} limit: 200`)).length]).toEqual([expected, expected]);
  });

  test('beyond the end there is nothing, as far as an offset goes', async () => {
    for (const offset of [24, 2 ** 31 - 1]) expect(await rows(`offset: ${offset}`)).toEqual([]);
  });
});

// query campaignsCount: as many as campaigns lists with the same filters, on all pages.
describe('campaignsCount', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
    const ended = { startAt: null, endAt: new Date(Date.now() - 1_000) };
    for (const state of campaignStates) await storeCampaign(service, { name: `Summer ${state}`, state });
    await storeCampaign(service, { name: 'Winter', state: 'ACTIVE', ...ended });
    const other = await service.newApplication();
    await storeCampaign({ database: service.database, application: other });
  });

  test.each([
    ['', 7],
    ['(states: [FINISHED, ACTIVE])', 3],
    ['(state: FINISHED)', 2],
    ['(search: "SUMMER")', 6],
    ['(search: "winter", states: [ACTIVE])', 0],
  ])('campaignsCount%s is %i', async (args, count) => {
    const { data } = await viewer.ask(`{ campaignsCount${args} campaigns${args} { id } }`);
    expect(data).toEqual({ campaignsCount: count, campaigns: Array(count).fill(expect.anything()) });
  });

  test('of one application, which must be the own one', async () => {
    const { data } = await viewer.ask(`{ campaignsCount(applicationId: "${service.application.id}") }`);
    expect(data).toEqual({ campaignsCount: 7 });
    expect((await viewer.ask(`{ campaignsCount(applicationId: "${randomUUID()}") }`)).codes).toEqual(['NOT_FOUND']);
  });

  test.each([
    ['state: DRAFT, states: [DRAFT]', 'states'],
    [`search: "${'x'.repeat(257)}"`, 'search'],
  ])('%s is refused', async (args, path) => {
    const { errors } = await viewer.ask(`{ campaignsCount(${args}) }`);
    expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path }] });
  });
});

// CampaignStats.suspect: what one device shows on a day beyond the campaign's frequency. The counts themselves stay what they are.
describe('campaignStats: suspect', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  beforeEach(() => awayFromTurn('day'));
  afterAll(() => service.stop());

  const sql = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);
  const aCampaign = (frequency: StoredFrequency | null) => storeCampaign(service, { frequency });
  const show = ({ id }: StoredCampaign) =>
    anEvent({ type: 'system', name: 'CampaignShown', params: [{ name: 'campaignId', value: id }] });
  const shows = (campaign: StoredCampaign, count: number) => Array.from({ length: count }, () => show(campaign));

  async function send(device: string, ...sessions: Session[]): Promise<void> {
    expect(await sendReport(service, aReport({ device: aDevice(device), sessions }))).toMatchObject(ok);
  }

  async function statsOf({ id }: StoredCampaign): Promise<[shown: number, suspect: number]> {
    const [stats] = await campaignStats(service.database.pool, [id]);
    return [stats!.shown, stats!.suspect];
  }

  /** All rows so far have arrived a day earlier. */
  async function sleepUntilTomorrow(): Promise<void> {
    await sql('UPDATE campaign_shows SET day = day - 1');
    // Of immutable functions alone, as a cluster wants them.
    await sql(
      `UPDATE sessions SET received_at = (received_at AT TIME ZONE 'UTC' - interval '1 day') AT TIME ZONE 'UTC'`,
    );
    await sql('UPDATE events SET anchored_on = anchored_on - 1');
  }

  /** Yesterday may have been of last week. */
  beforeAll(async () => {
    await sql(`DO $$ DECLARE monday date := date_trunc('week', now() AT TIME ZONE 'UTC')::date; BEGIN
    EXECUTE format('CREATE TABLE events_of_last_week PARTITION OF events FOR VALUES FROM (%L) TO (%L)', monday - 7, monday);
    EXCEPTION WHEN invalid_object_definition THEN NULL; END $$`);
  });

  test('the attack: 2,500 shows in one upload count as they are sent, and all but one are suspect', async () => {
    const campaign = await aCampaign({ perSession: 1, perDay: 3, total: 10 });
    const session = aSession({ events: shows(campaign, 2_500) });
    const device = randomUUID();
    await send(device, session);
    expect(await statsOf(campaign)).toEqual([2_500, 2_499]);
    await send(device, session);
    expect(await statsOf(campaign)).toEqual([2_500, 2_499]);
  });

  test.each<[StoredFrequency | null, number[], number]>([
    [{ perSession: 2 }, [5], 3],
    [{ perSession: 2 }, [5, 0], 1],
    [{ perSession: 2 }, [4, 0], 0],
    [{ perDay: 3 }, Array<number>(10).fill(1), 7],
    [{ total: 2 }, [1, 2], 1],
    [{ perDay: 5, total: 4, perSession: 3 }, [3, 3], 2],
    [{ perDay: 5, total: null, perSession: 1 }, [3, 3], 4],
    [{ perSession: 1_000_000, perDay: 1_000_000, total: 1_000_000 }, [50, 50], 0],
    [{ cooldownSeconds: 3_600 }, [50], 0],
    [{}, [50], 0],
    [null, [50], 0],
  ])('%j, sessions with %j shows: %i are suspect, in one upload or in several', async (frequency, counts, suspect) => {
    const campaigns = await Promise.all([1, 2].map(() => aCampaign(frequency)));
    const shown = counts.reduce((sum, count) => sum + count, 0);
    const sessions = (campaign: StoredCampaign) => counts.map((count) => aSession({ events: shows(campaign, count) }));
    await send(randomUUID(), ...sessions(campaigns[0]!));
    const device = randomUUID();
    // Sessions without a show first: only the day's end finds those that come later.
    for (const session of sessions(campaigns[1]!).reverse()) await send(device, session);
    for (const campaign of campaigns) expect(await statsOf(campaign)).toEqual([shown, suspect]);
  });

  test('each device counts for itself, and an event that comes again does not count', async () => {
    const campaign = await aCampaign({ perDay: 2 });
    const [one, other] = [randomUUID(), randomUUID()];
    const session = aSession({ events: shows(campaign, 3) });
    await send(one, session);
    await send(other, aSession({ events: shows(campaign, 2) }));
    await send(one, { ...session, events: [...session.events!, show(campaign)] });
    await send(other, aSession({ events: shows(campaign, 1) }));
    expect(await statsOf(campaign)).toEqual([7, 3]);
  });

  test('an SDK that reports a session before its show is honest', async () => {
    const campaign = await aCampaign({ perSession: 1 });
    const device = randomUUID();
    for (const session of [aSession(), aSession(), aSession()]) {
      await send(device, session);
      await send(device, { ...session, events: [...session.events!, show(campaign)] });
    }
    expect(await statsOf(campaign)).toEqual([3, 0]);
  });

  test('two uploads of one device at once lose nothing', async () => {
    const campaign = await aCampaign({ perSession: 1 });
    const device = randomUUID();
    await Promise.all(Array.from({ length: 20 }, () => send(device, aSession({ events: shows(campaign, 2) }))));
    expect(await statsOf(campaign)).toEqual([40, 20]);
  });

  test("another application's campaign counts nothing", async () => {
    const campaign = await storeCampaign(
      { ...service, application: await service.newApplication() },
      { frequency: { perDay: 1 } },
    );
    await send(randomUUID(), aSession({ events: shows(campaign, 5) }));
    expect(await statsOf(campaign)).toEqual([0, 0]);
  });

  test('a session that goes on after midnight may show, and a day begins anew', async () => {
    const campaign = await aCampaign({ perSession: 1, perDay: 2 });
    const [device, session] = [randomUUID(), aSession()];
    await send(device, session);
    await sleepUntilTomorrow();
    const goneOn = { ...session, events: [...session.events!, show(campaign)] };
    await send(device, goneOn);
    expect(await statsOf(campaign)).toEqual([1, 0]);
    await send(device, { ...goneOn, events: [...goneOn.events, show(campaign)] });
    expect(await statsOf(campaign)).toEqual([2, 1]);
    await sleepUntilTomorrow();
    await send(device, aSession({ events: shows(campaign, 3) }));
    expect(await statsOf(campaign)).toEqual([5, 3]);
  });

  test('an edit changes nothing that is counted, and holds for the day of the next show', async () => {
    const campaign = await aCampaign({ perDay: 10 });
    const device = randomUUID();
    await send(device, aSession({ events: shows(campaign, 5) }));
    const edited = await editCampaign(service, campaign, { frequency: { perDay: 1 } });
    expect(await statsOf(edited)).toEqual([5, 0]);
    await send(device, aSession({ events: [show(campaign)] }));
    expect(await statsOf(edited)).toEqual([6, 5]);
  });

  describe('a day that is over', () => {
    const rowsOf = async ({ id }: StoredCampaign) =>
      (await sql('SELECT FROM campaign_shows WHERE campaign_id = $1', [id])).rowCount;

    test('is closed once, by two processes at once: its rows go, and the figure stays', async () => {
      const campaign = await aCampaign({ perDay: 1 });
      for (let device = 0; device < 9; device++)
        await send(randomUUID(), aSession({ events: shows(campaign, 1 + (device % 3)) }));
      await closeDaysOfShows(service.database.pool);
      expect([await rowsOf(campaign), await statsOf(campaign)]).toEqual([9, [18, 9]]);
      await sleepUntilTomorrow();
      await sql('UPDATE campaign_shows SET day = day - 1 WHERE campaign_id = $1', [campaign.id]);
      await send(randomUUID(), aSession({ events: shows(campaign, 3) }));
      await Promise.all([1, 2].map(() => closeDaysOfShows(service.database.pool, 2)));
      expect([await rowsOf(campaign), await statsOf(campaign)]).toEqual([1, [21, 11]]);
    });

    test('counts the sessions that arrived after its last show', async () => {
      const campaign = await aCampaign({ perSession: 2 });
      const device = randomUUID();
      await send(device, aSession({ events: shows(campaign, 5) }));
      await send(device, aSession());
      expect(await statsOf(campaign)).toEqual([5, 3]);
      for (let days = 0; days < 2; days++) await sleepUntilTomorrow();
      await closeDaysOfShows(service.database.pool);
      expect([await rowsOf(campaign), await statsOf(campaign)]).toEqual([0, [5, 1]]);
    });

    test('of a campaign that is gone is forgotten, and a deleted application keeps no rows', async () => {
      const place = { ...service, application: await service.newApplication() };
      const [gone, deleted] = [
        await aCampaign({ perDay: 1 }),
        await storeCampaign(place, { frequency: { perDay: 1 } }),
      ];
      await send(randomUUID(), aSession({ events: shows(gone, 3) }));
      const headers = { 'X-Api-Key': place.application.key.public };
      await sendReport(service, aReport({ sessions: [aSession({ events: shows(deleted, 3) })] }), headers);
      expect(await statsOf(deleted)).toEqual([3, 2]);
      expect(await removeShows(service.database.pool, place.application.id)).toBe(false);
      expect([await rowsOf(gone), await rowsOf(deleted)]).toEqual([1, 0]);
      await sql('DELETE FROM campaigns WHERE id = $1', [gone.id]);
      for (let days = 0; days < 2; days++) await sleepUntilTomorrow();
      await closeDaysOfShows(service.database.pool);
      const counted = await sql("SELECT FROM campaign_counts WHERE outcome = 'suspect' AND campaign_id = $1", [
        gone.id,
      ]);
      expect([await rowsOf(gone), counted.rowCount]).toEqual([0, 0]);
    });
  });

  test('a campaign without a cap leaves no row', async () => {
    const campaign = await aCampaign({ cooldownSeconds: 60 });
    await send(randomUUID(), aSession({ events: shows(campaign, 2) }));
    expect((await sql('SELECT FROM campaign_shows WHERE campaign_id = $1', [campaign.id])).rowCount).toBe(0);
  });
});
