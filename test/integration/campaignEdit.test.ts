// Campaigns that change: edits, states, kept versions, the history, and the events that tell of them.
import { randomUUID } from 'node:crypto';
import { campaignEdit } from '../../src/campaigns/campaignEdit.ts';
import type { CampaignContent, CampaignState, StoredCampaign } from '../../src/campaigns/campaignRecord.ts';
import { campaignStats } from '../../src/campaigns/campaignFields.ts';
import {
  findDeliverableCampaigns,
  holdCampaign,
  measurePublished,
  tellMovesByClock,
  writeHeldCampaign,
} from '../../src/campaigns/heldCampaign.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/inputRules.ts';
import { type CampaignEditor, newCampaignEditor, whole } from '../support/campaignEdits.ts';
import { aCampaign, fetchConfig, storeCampaign } from '../support/campaigns.ts';
import { holdLock } from '../support/heldLock.ts';
import { sendReport } from '../support/reportSessions.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';
import { newWebhook } from '../support/webhooks.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// mutation campaignEdit over HTTP: drafts, edits of drafts, and the returned values.
describe('campaignEdit', () => {
  let service: TestService;
  let editor: CampaignEditor;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
    editor = await newCampaignEditor(service);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    now = new Date();
    await service.database.prisma.campaign.deleteMany();
  });

  const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

  const delivered = async () => (await fetchConfig(service)).body.campaigns;

  test('a new campaign is a draft with what is given, and nothing else', async () => {
    const { id, ...fields } = await editor.create();
    expect(fields).toEqual({
      application: { id: service.application.id },
      name: 'A',
      description: null,
      state: 'DRAFT',
      version: 1,
      priority: 0,
      trigger: null,
      targeting: null,
      frequency: null,
      schedule: null,
      action: null,
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      allowedTransitions: ['SCHEDULED', 'ACTIVE', 'ARCHIVED'],
    });
    expect(await editor.create(whole)).toMatchObject({ ...whole, version: 1 });
    expect((await editor.create({ id: null, expectedVersion: null })).id).not.toBe(id);
    expect(await delivered()).toEqual([]);
  });

  test('an edit changes what is given, clears what is null and raises the version, also with nothing given', async () => {
    const { id } = await editor.create(whole);
    now = at(1);
    const later = { version: 2, updatedAt: now.toISOString() };
    expect(await editor.edited({ id, name: ' Other ' })).toMatchObject({ ...whole, name: 'Other', ...later });
    expect(await editor.edited({ id, applicationId: service.application.id, expectedVersion: 2 })).toMatchObject({
      version: 3,
    });
    const nulls = { description: null, trigger: null, targeting: null, frequency: null, schedule: null, action: null };
    const cleared = await editor.edited({ id, ...nulls, priority: null });
    expect(cleared).toMatchObject({ ...nulls, name: 'Other', priority: 0, version: 4 });
  });

  test('the objects are replaced as a whole', async () => {
    const { id } = await editor.create(whole);
    const objects = {
      targeting: { countries: ['AT'] },
      frequency: { total: 9 },
      schedule: { endAt: null },
      action: { type: 'close' },
    };
    expect(await editor.edited({ id, ...objects })).toMatchObject({
      trigger: whole.trigger,
      targeting: { platforms: [], appVersion: null, countries: ['AT'], userProperties: [] },
      frequency: { perSession: null, perDay: null, total: 9, cooldownSeconds: null },
      schedule: null,
      action: { type: 'close', payload: null, blocking: false, deadlineSeconds: null },
    });
  });

  test('any payload comes back as the same value, to the dashboard and to devices', async () => {
    const payloads = [
      ...[null, '', 0, false, [], {}, 'x'.repeat(65_534), [1.1, -0.1, 1e-7, 5e-324, 2 ** 53 - 1, 1 - 2 ** 53]],
      JSON.parse('{"__proto__":{"constructor":1},"a":{"toString":null},"10":1,"9":2}') as object,
      JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`) as unknown[],
    ];
    const { id } = await storeCampaign(service);
    for (const payload of payloads) {
      const { action } = await editor.edited({ id, action: { type: 'a', payload } });
      expect(JSON.stringify(sorted((action as { payload: unknown }).payload))).toBe(JSON.stringify(sorted(payload)));
      const { data } = await editor.user.ask(`{ campaign(id: "${id}") { action { payload } } }`);
      const { action: read } = data!['campaign'] as { action: { payload: unknown } };
      expect(JSON.stringify(sorted(read.payload))).toBe(JSON.stringify(sorted(payload)));
      const [campaign] = await delivered();
      expect(JSON.stringify(sorted(campaign!.action.payload))).toBe(JSON.stringify(sorted(payload)));
    }
    const literal = `{ a: 1.10, b: 9007199254740991, __proto__: "p" }`;
    const { data } = await editor.user.ask(
      `mutation { campaignEdit(input: { id: "${id}", action: { type: "a", payload: ${literal} } }) { action { payload } } }`,
    );
    expect(JSON.stringify(data)).toContain('{"a":1.1,"b":9007199254740991,"__proto__":"p"}');
  });

  /** Sorts members by name, an own `__proto__` included, because jsonb has its own order. */
  function sorted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.keys(value)
      .sort()
      .map((key) => [key, sorted((value as Record<string, unknown>)[key])]);
  }

  test('a campaign names who created it and who changed it last', async () => {
    const colleague = await newUser(service, await organizationOf(service, service.application.id), 'editor');
    const input = `{ applicationId: "${service.application.id}", name: "A" }`;
    const created = await colleague.ask(`mutation { campaignEdit(input: ${input}) { id createdBy updatedBy } }`);
    const { id, ...by } = created.data!['campaignEdit'] as { id: string };
    expect(by).toEqual({ createdBy: colleague.email, updatedBy: colleague.email });
    const other = await newUser(service, colleague.organizationId, 'editor');
    await other.ask(`mutation { campaignEdit(input: { id: "${id}", name: "B" }) { id } }`);
    const read = () =>
      colleague.ask(`{ campaign(id: "${id}") { createdBy updatedBy } campaigns { createdBy updatedBy } }`);
    const edited = { createdBy: colleague.email, updatedBy: other.email };
    expect((await read()).data).toEqual({ campaign: edited, campaigns: [edited] });
    await colleague.ask(`mutation { campaignChangeState(id: "${id}", state: ARCHIVED) { id } }`);
    expect((await read()).data).toMatchObject({ campaign: by });
  });
});

// mutation campaignEdit: its refusals and their order; a refused edit changes nothing.
describe('campaignEdit: refusals', () => {
  let service: TestService;
  let editor: CampaignEditor;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
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
    const response = await fetch(`${service.url}/admin/graphql/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${editor.user.token}` },
      body: body.replace('"PAYLOAD"', payload),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('input.action.payload');
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

  test("another organization's campaign and application get the response to unknown ones", async () => {
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
    const pending = Promise.all(names.map((name) => editor.edit({ id, name, expectedVersion: 1 })));
    await lock.waiting(3);
    await lock.release();
    const responses = await pending;
    const won = responses
      .filter(({ data }) => data)
      .map(({ data }) => (data!['campaignEdit'] as { name: string }).name);
    expect(won).toHaveLength(1);
    expect(responses.flatMap(({ errors }) => errors.map(({ extensions }) => extensions))).toEqual(
      Array.from({ length: 2 }, () => ({ code: 'CONFLICT', reason: 'version', currentVersion: 2 })),
    );
    expect(await editor.edited({ id })).toMatchObject({ name: won[0], version: 3 });
  });
});

// mutation campaignEdit of a delivered campaign: the campaign stays complete, and the configuration follows.
describe('campaignEdit: delivered', () => {
  let service: TestService;
  let editor: CampaignEditor;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
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
    const responses = await Promise.all(drafts.map(({ id }) => editor.move(id, 'ACTIVE')));
    const [running, refused] = responses[0]!.codes.length === 0 ? [0, 1] : [1, 0];
    expect(responses[running]!.codes).toEqual([]);
    expect(responses[refused]!.errors[0]!.extensions['fields']).toEqual([
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
    expect(await editor.edited({ id, schedule: { startAt } })).toMatchObject({
      state: 'ACTIVE',
      schedule: { startAt },
    });
    expect(await delivered()).toMatchObject([{ version: 2, schedule: { startAt: null, endAt: null } }]);
    const [row] = await service.database.prisma.campaign.findMany();
    expect(row).toMatchObject({ state: 'ACTIVE' });
  });

  test('an edit and a pause are in the next response, with another revision', async () => {
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
});

// mutation campaignChangeState over HTTP: a dashboard's view of the changes that campaigns.test.ts lists.
describe('campaignChangeState', () => {
  let service: TestService;
  let editor: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    editor = await newUser(service, await organizationOf(service, service.application.id), 'editor');
  });

  const change = (id: string, state: string, expectedVersion?: number) =>
    editor.ask(
      `mutation M($id: UUID!, $state: CampaignState!, $expectedVersion: Int) {
      campaignChangeState(id: $id, state: $state, expectedVersion: $expectedVersion) { state version allowedTransitions } }`,
      { id, state, expectedVersion },
    );

  test('moves raise the version, and the same state again changes nothing', async () => {
    const { id } = await storeCampaign(service, { state: 'DRAFT' });
    const active = { state: 'ACTIVE', version: 2, allowedTransitions: ['PAUSED', 'FINISHED'] };
    expect((await change(id, 'ACTIVE', 1)).data).toEqual({ campaignChangeState: active });
    expect((await change(id, 'ACTIVE')).data).toEqual({ campaignChangeState: active });
  });

  test('a schedule whose start has passed has begun', async () => {
    const { id } = await storeCampaign(service, { state: 'DRAFT', startAt: new Date(Date.now() - 1_000) });
    expect((await change(id, 'SCHEDULED')).data).toMatchObject({
      campaignChangeState: { state: 'ACTIVE', version: 2 },
    });
  });

  test('after a mutation that fails, those behind it do not run, and the ones before it have taken effect', async () => {
    const ids = [await storeCampaign(service), await storeCampaign(service), await storeCampaign(service)].map(
      ({ id }) => id,
    );
    const fields = ['PAUSED', 'DRAFT', 'PAUSED'].map(
      (state, index) => `f${index}: campaignChangeState(id: "${ids[index]!}", state: ${state}) { state }`,
    );
    const { status, data, errors } = await editor.ask(`mutation { ${fields.join(' ')} }`);
    expect([status, data, errors.map(({ path }) => path)]).toEqual([200, null, [['f1']]]);
    const states = await service.database.prisma.campaign.findMany({
      where: { id: { in: ids } },
      select: { id: true, state: true },
    });
    expect(ids.map((id) => states.find((campaign) => campaign.id === id)?.state)).toEqual([
      'PAUSED',
      'ACTIVE',
      'ACTIVE',
    ]);
  });

  test('an illegal move says what is allowed, and a stale version comes before it', async () => {
    const { id } = await storeCampaign(service);
    expect((await change(id, 'DRAFT')).errors[0]!.extensions).toEqual({
      code: 'ILLEGAL_TRANSITION',
      allowed: ['PAUSED', 'FINISHED'],
    });
    expect((await change(id, 'DRAFT', 7)).errors[0]!.extensions).toEqual({
      code: 'CONFLICT',
      reason: 'version',
      currentVersion: 1,
    });
  });

  test('an incomplete campaign names what it lacks', async () => {
    const { id } = await storeCampaign(service, aCampaign({ state: 'DRAFT', trigger: null, action: null }));
    const { errors } = await change(id, 'SCHEDULED');
    expect((errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'campaign.trigger',
      'campaign.action',
      'campaign.schedule.startAt',
    ]);
  });
});

// The kept versions: every published version is kept for ever, as devices received it, with the change that made it.
describe('campaignVersions', () => {
  let service: TestService;
  let editor: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    editor = await newUser(service, await organizationOf(service, service.application.id), 'editor');
  });

  async function does(mutation: string): Promise<void> {
    const { data, text } = await editor.ask(`mutation { ${mutation} { version } }`);
    if (!data) throw new Error(text);
  }
  const edit = (id: string, fields: string) => does(`campaignEdit(input: { id: "${id}", ${fields} })`);
  const move = (id: string, state: string) => does(`campaignChangeState(id: "${id}", state: ${state})`);
  const delivered = async () => (await fetchConfig(service)).body.campaigns[0];
  const kept = (campaignId: string) =>
    service.database.prisma.campaignVersion.findMany({ where: { campaignId }, orderBy: { version: 'asc' } });

  test('exactly what devices could get is kept', async () => {
    const { id } = await storeCampaign(service, { state: 'DRAFT' });
    const got: unknown[] = [];
    await edit(id, 'name: "Draft"');
    expect(await kept(id)).toEqual([]);
    await edit(id, 'schedule: { startAt: "2099-01-01T00:00:00Z" }');
    await move(id, 'SCHEDULED');
    got.push(await delivered());
    await edit(id, 'action: { type: "open", payload: { text: "scheduled" } }');
    got.push(await delivered());
    await move(id, 'ACTIVE');
    got.push(await delivered());
    await move(id, 'ACTIVE');
    await move(id, 'PAUSED');
    await edit(id, 'name: "Paused"');
    await move(id, 'ACTIVE');
    got.push(await delivered());
    await move(id, 'FINISHED');
    const versions = await kept(id);
    expect(versions.map(({ version }) => version)).toEqual([4, 5, 6, 9]);
    expect(versions.map((row) => row.delivered)).toEqual(got);
    const { createdAt, updatedAt } = await service.database.prisma.campaign.findUniqueOrThrow({ where: { id } });
    for (const { publishedAt } of versions) {
      expect([publishedAt >= createdAt, publishedAt <= updatedAt]).toEqual([true, true]);
    }
  });

  test('a change whose version cannot be kept is not made', async () => {
    const { id } = await storeCampaign(service);
    const { prisma } = service.database;
    await prisma.campaignVersion.create({
      data: { campaignId: id, version: 2, delivered: {}, publishedAt: new Date() },
    });
    const { codes } = await editor.ask(`mutation { campaignEdit(input: { id: "${id}", name: "B" }) { id } }`);
    expect(codes).toEqual(['INTERNAL_SERVER_ERROR']);
    expect(await prisma.campaign.findUnique({ where: { id } })).toMatchObject({ version: 1, name: 'A campaign' });
  });

  test('a kept version never changes, and goes with its campaign', async () => {
    const { id } = await storeCampaign(service);
    await edit(id, 'name: "B"');
    const { prisma, pool } = service.database;
    await expect(pool.query("UPDATE campaign_versions SET delivered = '{}'")).rejects.toThrow('never change');
    expect(await kept(id)).toMatchObject([{ version: 2, delivered: { name: 'B' } }]);
    await prisma.campaign.delete({ where: { id } });
    expect(await kept(id)).toEqual([]);
  });
});

// Campaign.history: who changed a campaign, when and what, field by field, for every role of the organization and nobody else.
describe('campaign: history', () => {
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
  let now: Date;
  beforeAll(async () => {
    now = new Date();
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
});

// The limits of a response count Campaign.history: each change, each changed field and the length of the values (schema.graphql, "Responses").
describe('campaign: history limits', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });

  const fill = (id: string, { lines, changes }: { lines: number; changes: string }) =>
    service.database.pool.query(
      `WITH line AS (
       INSERT INTO audit_entries (organization_id, at, actor, action, object_type, object_id, details)
       SELECT $1, now() + n * interval '1 ms', 'a@example.com', 'campaignEdit', 'campaign', $2::uuid::text,
         jsonb_build_object('version', n + 1, 'fields', '["name"]'::jsonb) FROM generate_series(1, $3::integer) n)
     INSERT INTO campaign_changes SELECT $2, n + 1, ${changes} FROM generate_series(1, $3::integer) n`,
      [viewer.organizationId, id, lines],
    );
  const refusal = async (query: string) =>
    (await viewer.ask(query)).errors.map(({ extensions: { code, fields } }) => [
      code,
      (fields as { message: string }[])[0]!.message,
    ]);

  test('they count each change and each field', async () => {
    const { id } = await storeCampaign(service);
    const field = `jsonb_build_object('field', 'name', 'before', 1, 'after', 2)`;
    await fill(id, { lines: 200, changes: `jsonb_build_array(${Array(9).fill(field).join(', ')})` });
    const aliases = (count: number) =>
      Array.from({ length: count }, (_, at) => `a${at}: history(limit: 200) { at }`).join(' ');
    expect(await refusal(`{ campaign(id: "${id}") { ${aliases(9)} } }`)).toEqual([]);
    expect(await refusal(`{ campaign(id: "${id}") { ${aliases(10)} } }`)).toEqual([
      ['BAD_USER_INPUT', expect.stringContaining('20000 objects')],
    ]);
  });

  test('they measure the values, and the database sends none beyond the room', async () => {
    const { id } = await storeCampaign(service);
    const changes = `jsonb_build_array(jsonb_build_object('field', 'action.payload', 'before', null, 'after', repeat('x', 100000)))`;
    await fill(id, { lines: 200, changes });
    expect(await refusal(`{ campaign(id: "${id}") { history(limit: 150) { changes { after } } } }`)).toEqual([]);
    expect(await refusal(`{ campaign(id: "${id}") { history(limit: 200) { at } } }`)).toEqual([
      ['BAD_USER_INPUT', expect.stringContaining('16777216 bytes')],
    ]);
  });

  test.each([0, 201, -1])('limit %s is refused', async (limit) => {
    const { id } = await storeCampaign(service);
    const { errors } = await viewer.ask(`{ campaign(id: "${id}") { history(limit: ${limit}) { at } } }`);
    expect(errors.map(({ extensions: { code, fields } }) => [code, fields])).toEqual([
      ['BAD_USER_INPUT', [{ path: 'limit', message: 'must be 1 to 200' }]],
    ]);
  });
});

// Events about a campaign's moves: each is written once, in the transaction of the move, and by one of all processes.
describe('tellMoves', () => {
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
});

// The writes below the admin operations: locked, checked against a version and sent to every process; and the counts.
describe('campaignsStore', () => {
  let service: TestService;
  let organizationId: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    const { project } = await service.database.prisma.application.findUniqueOrThrow({
      where: { id: service.application.id },
      include: { project: true },
    });
    organizationId = project.organizationId;
  });

  const now = new Date('2026-09-10T12:00:00.123Z');
  const renamed = (name: string) => (campaign: StoredCampaign) => ({ ...campaign, name });

  test('every field comes back as it was stored', async () => {
    const content = aCampaign({
      description: 'Notes',
      state: 'SCHEDULED',
      priority: 12,
      targeting: { platforms: ['iOS'], appVersion: { min: 9007199254740991 } },
      frequency: { total: 3 },
      action: { type: 'x', payload: ['\u{1f680}', 1.5, null], blocking: true },
      startAt: now,
      endAt: new Date('2026-09-11T00:00:00Z'),
    });
    const campaign = await storeCampaign(service, content, now);
    const fixed = { applicationId: service.application.id, version: 1, createdAt: now, updatedAt: now };
    const by = { createdBy: null, updatedBy: null };
    expect(campaign).toEqual({ ...content, ...fixed, ...by, id: campaign.id });
  });

  describe('a change', () => {
    interface Change {
      expectedVersion?: number;
      /** Null when there is nothing to change. */
      decide?: (campaign: StoredCampaign, now: Date) => CampaignContent | null;
      clock?: () => Date;
    }
    const change = (id: string, { expectedVersion, decide = renamed('New'), clock = () => now }: Change) =>
      inTransaction(service.database.pool, async (transaction) => {
        const caller = { userId: newId(), organizationId, email: 'ann@example.com', role: 'editor' as const };
        const held = await holdCampaign(transaction, { id, caller, expectedVersion }, clock);
        const content = decide(held.campaign, held.now);
        return content
          ? (await writeHeldCampaign(transaction, held, { content, by: 'ann@example.com', path: 'input' })).campaign
          : held.campaign;
      });
    const unchanged = { decide: () => null };

    test('is written as the next version', async () => {
      const campaign = await storeCampaign(service);
      const changed = { ...campaign, name: 'New', version: 2, updatedAt: now, updatedBy: 'ann@example.com' };
      expect(await change(campaign.id, { expectedVersion: 1 })).toEqual(changed);
    });

    test('of another version than the one seen is a conflict, before it is decided', async () => {
      const { id } = await storeCampaign(service);
      await change(id, {});
      const decide = () => {
        throw new Error('asked');
      };
      const refusal = { code: 'conflict', details: { reason: 'version', currentVersion: 2 } };
      await expect(change(id, { expectedVersion: 1, decide })).rejects.toMatchObject(refusal);
    });

    test('that changes nothing keeps the version, and one that is refused leaves everything', async () => {
      const campaign = await storeCampaign(service);
      expect(await change(campaign.id, unchanged)).toEqual(campaign);
      const refuse = () => {
        throw new Error('no');
      };
      await expect(change(campaign.id, { decide: refuse })).rejects.toThrow('no');
      expect(await change(campaign.id, unchanged)).toEqual(campaign);
    });

    test('in another organization, or of a deleted application, finds nothing', async () => {
      const place = { ...service, application: await service.newApplication() };
      const { id } = await storeCampaign(place);
      await expect(change(id, {})).rejects.toMatchObject({ code: 'not_found' });
      const own = await storeCampaign(service);
      const deleteAt = (deletedAt: Date | null) =>
        service.database.prisma.application.update({ where: { id: service.application.id }, data: { deletedAt } });
      await deleteAt(now);
      await expect(change(own.id, {})).rejects.toMatchObject({ code: 'not_found' });
      await deleteAt(null);
    });

    test('of ten at once loses none', async () => {
      const { id } = await storeCampaign(service, { name: '' });
      const append = (campaign: StoredCampaign) => ({ ...campaign, name: `${campaign.name}x` });
      await Promise.all(Array.from({ length: 10 }, () => change(id, { decide: append })));
      expect(await change(id, unchanged)).toMatchObject({ name: 'x'.repeat(10), version: 11 });
    });

    test('is made known to this process, so that its own next response has it', async () => {
      const { id } = await storeCampaign(service);
      const forgotten: string[] = [];
      const campaigns = { forget: (applicationId: string) => void forgotten.push(applicationId) };
      const caller = { userId: newId(), organizationId, email: 'editor@example.com', role: 'editor' as const };
      await campaignEdit(
        { input: { id, name: 'New' } },
        { ...service.deps, campaigns, caller, wroteDeliveries: () => undefined },
      );
      expect(forgotten).toEqual([service.application.id]);
    });

    test('is decided by the clock as it is when the lock is there', async () => {
      const { id } = await storeCampaign(service);
      const times: Date[] = [];
      const decide = (_: StoredCampaign, at: Date) => {
        times.push(at);
        return null;
      };
      const lock = await holdLock(service.database.pool, 'SELECT 1 FROM campaigns WHERE id = $1 FOR UPDATE', id);
      const waiting = change(id, { decide, clock: service.deps.now });
      await lock.waiting(1);
      const released = Date.now();
      await lock.release();
      await waiting;
      expect(times.map((at) => at.getTime() >= released)).toEqual([true]);
    });
  });

  test('counts of several campaigns are read at once, zeros included', async () => {
    const [one, other] = [await storeCampaign(service), await storeCampaign(service)];
    const resolved = (result: string, reason?: string) =>
      anEvent({
        name: 'CampaignResolved',
        type: 'system',
        params: [
          { name: 'campaignId', value: one.id },
          { name: 'result', value: result },
          ...(reason ? [{ name: 'unavailableReason', value: reason }] : []),
        ],
      });
    const shown = () =>
      anEvent({ name: 'CampaignShown', type: 'system', params: [{ name: 'campaignId', value: one.id }] });
    const events = [
      ...[shown(), shown(), shown()],
      ...['Completed', 'Completed', 'Dismissed', 'SkippedNoPresenter', 'SkippedNoContinuation'].map((result) =>
        resolved(result),
      ),
      ...['TimedOut', 'PresenterFailed', 'PresenterReported'].map((reason) => resolved('Unavailable', reason)),
      resolved('Unavailable'),
    ];
    expect((await sendReport(service, aReport({ sessions: [aSession({ events })] }))).status).toBe(200);
    const zero = {
      shown: 0,
      suspect: 0,
      resolved: { completed: 0, dismissed: 0, unavailable: 0, skippedNoPresenter: 0, skippedNoContinuation: 0 },
      unavailableReasons: { timedOut: 0, presenterFailed: 0, presenterReported: 0 },
    };
    const full = {
      shown: 3,
      suspect: 0,
      resolved: { completed: 2, dismissed: 1, unavailable: 4, skippedNoPresenter: 1, skippedNoContinuation: 1 },
      unavailableReasons: { timedOut: 1, presenterFailed: 1, presenterReported: 1 },
    };
    const { pool } = service.database;
    const stats = (await campaignStats(pool, [other.id, one.id])).map(({ id, ...counted }) => [id, counted]);
    expect(Object.fromEntries(stats)).toEqual({ [one.id]: full, [other.id]: zero });
    expect(await campaignStats(pool, [])).toEqual([]);
  });

  test('what has ended is neither read for devices nor measured', async () => {
    const place = { ...service, application: await service.newApplication() };
    const { pool } = service.database;
    const search = { applicationId: place.application.id, endedBefore: now };
    const after = new Date(now.getTime() + 1);
    const measured = () => inTransaction(pool, (transaction) => measurePublished(transaction, search));
    for (const state of ['SCHEDULED', 'ACTIVE'] as const)
      await storeCampaign(place, { state, startAt: now, endAt: now });
    expect([await findDeliverableCampaigns(pool, search), await measured()]).toEqual([[], 0]);
    const running = await storeCampaign(place, { endAt: after });
    const endless = await storeCampaign(place, { endAt: null });
    const found = await findDeliverableCampaigns(pool, search);
    expect(found.map(({ id }) => id).sort()).toEqual([running.id, endless.id].sort());
    expect(await measured()).toBeGreaterThan(0);
  });
});
