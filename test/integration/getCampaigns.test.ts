// GET /api/v1/campaigns: the delivered campaigns, their receivers and order, and a device's repeated request.
import { randomUUID } from 'node:crypto';
import { aCampaign, editCampaign, fetchConfig, storeCampaign, withinASecond } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function inNewApplication() {
  return { ...service, application: await service.newApplication() };
}

describe('the configuration', () => {
  test('of an application without campaigns is empty', async () => {
    const place = await inNewApplication();
    const before = Date.now() / 1000;
    const answer = await fetchConfig(place);
    expect(answer).toMatchObject({ status: 200, body: { campaigns: [], nextFetchSeconds: 900 } });
    expect(answer.body.serverTime).toBeGreaterThan(before - 1);
    expect(answer.body.serverTime).toBeLessThan(Date.now() / 1000 + 1);
    expect(answer.headers['cache-control']).toBe('private, no-cache');
  });

  test('delivers a campaign whole, with what is not set as null or an empty list', async () => {
    const place = await inNewApplication();
    const bare = await storeCampaign(place, { name: 'Bare', priority: 1 });
    const full = await storeCampaign(place, {
      name: 'Full',
      description: 'not for devices',
      priority: 1000,
      trigger: {
        event: 'CustomPropertyChanged',
        type: 'SYSTEM',
        filters: [
          { param: 'key', op: 'EQ', value: 'plan' },
          { param: 'oldValue', op: 'NOT_EXISTS', value: null },
        ],
      },
      targeting: {
        platforms: ['iOS'],
        appVersion: { min: 1_000_000 },
        countries: ['DE'],
        userProperties: [[{ name: 'plan', op: 'IN', value: ['pro', 1, true] }], [{ name: 'plan', op: 'EXISTS' }]],
      },
      frequency: { perSession: 1, cooldownSeconds: 60 },
      action: { type: 'paywall', payload: [1, { a: null }], blocking: true, deadlineSeconds: 30 },
      endAt: new Date('2099-01-01T00:00:00Z'),
    });
    const anyVersion = { min: null, max: null };
    const { body } = await fetchConfig(place);
    expect(body.campaigns).toEqual([
      {
        id: full.id,
        name: 'Full',
        version: 1,
        priority: 1000,
        trigger: {
          event: 'CustomPropertyChanged',
          type: 'SYSTEM',
          filters: [
            { param: 'key', op: 'EQ', value: 'plan' },
            { param: 'oldValue', op: 'NOT_EXISTS' },
          ],
        },
        targeting: {
          platforms: ['iOS'],
          appVersion: { min: 1_000_000, max: null },
          osVersion: anyVersion,
          sdkVersion: anyVersion,
          appInstallVersion: anyVersion,
          countries: ['DE'],
          userProperties: [[{ name: 'plan', op: 'IN', value: ['pro', 1, true] }], [{ name: 'plan', op: 'EXISTS' }]],
        },
        frequency: { perSession: 1, perDay: null, total: null, cooldownSeconds: 60 },
        schedule: { startAt: null, endAt: '2099-01-01T00:00:00.000Z' },
        action: { type: 'paywall', payload: [1, { a: null }], blocking: true, deadlineSeconds: 30 },
      },
      {
        id: bare.id,
        name: 'Bare',
        version: 1,
        priority: 1,
        trigger: { event: 'LevelCompleted', type: 'CUSTOM', filters: [] },
        targeting: {
          platforms: [],
          appVersion: anyVersion,
          osVersion: anyVersion,
          sdkVersion: anyVersion,
          appInstallVersion: anyVersion,
          countries: [],
          userProperties: [],
        },
        frequency: { perSession: null, perDay: null, total: null, cooldownSeconds: null },
        schedule: { startAt: null, endAt: null },
        action: { type: 'message', payload: { text: 'hello' }, blocking: false, deadlineSeconds: null },
      },
    ]);
  });

  test('holds active and scheduled campaigns only, by priority and then by id', async () => {
    const place = await inNewApplication();
    const states = ['DRAFT', 'PAUSED', 'FINISHED', 'ARCHIVED'] as const;
    for (const state of states) await storeCampaign(place, { state, priority: 900 });
    const future = { startAt: new Date(Date.now() + 86_400_000) };
    const equal = [];
    for (let i = 0; i < 6; i++) equal.push((await storeCampaign(place, { priority: 5 })).id);
    const scheduled = await storeCampaign(place, { state: 'SCHEDULED', priority: 7, ...future });
    await storeCampaign(await inNewApplication());
    const { body } = await fetchConfig(place);
    expect(body.campaigns.map(({ id }) => id)).toEqual([scheduled.id, ...equal.sort()]);
    expect(body.campaigns[0]!.schedule).toEqual({ startAt: future.startAt.toISOString(), endAt: null });
  });
});

describe('coarse targeting', () => {
  const targetings = {
    everyone: null,
    ios: { platforms: ['iOS' as const] },
    german: { countries: ['de', 'AT'] },
    app: { appVersion: { min: 2_000_000, max: 3_000_000 } },
    os: { osVersion: { min: 17_000_000 } },
    sdk: { sdkVersion: { max: 5_002 } },
    install: { appInstallVersion: { min: 9_000_000 } },
    users: { userProperties: [[{ name: 'plan', op: 'EQ' as const, value: 'pro' }]] },
  };
  const all = Object.keys(targetings);
  let place: Awaited<ReturnType<typeof inNewApplication>>;
  beforeAll(async () => {
    place = await inNewApplication();
    for (const [index, [name, targeting]] of Object.entries(targetings).entries()) {
      await storeCampaign(place, { name, targeting, priority: 100 - index });
    }
  });

  test.each([
    ['', []],
    ['?platform=iOS', []],
    ['?platform=Android', ['ios']],
    ['?country=DE', []],
    ['?country=at', []],
    ['?country=FR', ['german']],
    ['?country=', []],
    ['?appVersion=2000000', []],
    ['?appVersion=3000000', []],
    ['?appVersion=1999999', ['app']],
    ['?appVersion=3000001', ['app']],
    ['?osVersion=16999999', ['os']],
    ['?sdkVersion=5003', ['sdk']],
    ['?sdkVersion=0&appVersion=0&osVersion=0&country=XX&platform=Android', ['ios', 'german', 'app', 'os']],
    ['?deviceId=anyone&appInstallVersion=1&unknown=1&unknown=2&plan=free', []],
  ])('%s leaves out %j', async (query, leftOut) => {
    const { body } = await fetchConfig(place, { query });
    expect(body.campaigns.map(({ name }) => name)).toEqual(all.filter((name) => !leftOut.includes(name)));
  });

  test('changes the tag and not the revision; the device id and the writing of the query change neither', async () => {
    const ask = (query: string) => fetchConfig(place, { query });
    const [plain, filtered] = [await ask(''), await ask('?platform=iOS&country=de')];
    expect(filtered.body.revision).toBe(plain.body.revision);
    expect(filtered.headers['etag']).not.toBe(plain.headers['etag']);
    expect((await ask('?deviceId=d-1&x=y&country=')).headers['etag']).toBe(plain.headers['etag']);
    expect((await ask('?country=DE&deviceId=d-2&platform=iOS')).headers['etag']).toBe(filtered.headers['etag']);
  });
});

describe('asking again', () => {
  test('with the tag is 304 without a body, until an edit', async () => {
    const place = await inNewApplication();
    const campaign = await storeCampaign(place);
    const first = await fetchConfig(place);
    const again = await fetchConfig(place);
    const tag = first.headers['etag']!;
    expect([again.body.revision, again.headers['etag']]).toEqual([first.body.revision, tag]);
    const unchanged = await fetchConfig(place, { tag });
    expect(unchanged).toMatchObject({ status: 304, body: {}, headers: { etag: tag } });
    expect(unchanged.headers['date']).toMatch(/GMT$/);
    expect(unchanged.headers['content-type']).toBeUndefined();
    const edited = await editCampaign(place, campaign, { name: 'Another name' });
    await withinASecond(async () => (await fetchConfig(place, { tag })).status === 200);
    const next = await fetchConfig(place, { tag });
    expect(next.body.campaigns[0]).toMatchObject({ name: 'Another name', version: 2 });
    expect([next.headers['etag'] === tag, next.body.revision === first.body.revision]).toEqual([false, false]);
    await editCampaign(place, edited, { state: 'PAUSED' });
    await withinASecond(async () => (await fetchConfig(place)).body.campaigns.length === 0);
  });

  test('an edit of what no device gets changes nothing', async () => {
    const place = await inNewApplication();
    await storeCampaign(place);
    const draft = await storeCampaign(place, { state: 'DRAFT' });
    const before = await fetchConfig(place);
    await editCampaign(place, draft, { name: 'Still a draft' });
    // Notifications come in their order: when the later one was heard, so was that of the draft.
    const later = await inNewApplication();
    expect((await fetchConfig(later)).body.campaigns).toEqual([]);
    await storeCampaign(later);
    await withinASecond(async () => (await fetchConfig(later)).body.campaigns.length === 1);
    expect((await fetchConfig(place, { tag: before.headers['etag']! })).status).toBe(304);
  });

  test.each([
    ['*', 304],
    [' * ', 304],
    ['TAG', 304],
    ['W/TAG', 304],
    ['"other", TAG', 304],
    ['"a,b" ,W/"c",W/TAG', 304],
    ['"other"', 200],
    ['W/"other"', 200],
    ['unquoted', 200],
    ['"*"', 200],
    [',', 200],
  ])('If-None-Match: %s is %i', async (list, status) => {
    const place = await inNewApplication();
    const { headers } = await fetchConfig(place);
    expect((await fetchConfig(place, { tag: list.replace('TAG', headers['etag']!) })).status).toBe(status);
  });
});

test('the device id is stored nowhere', async () => {
  const deviceId = randomUUID();
  await fetchConfig(service, { query: `?deviceId=${deviceId}` });
  expect(await service.database.prisma.device.count()).toBe(0);
});

test('a campaign that lacks trigger or action is never delivered', async () => {
  const place = await inNewApplication();
  const { pool } = service.database;
  await storeCampaign(place, aCampaign({ trigger: null }));
  await pool.query('UPDATE campaigns SET action = NULL WHERE application_id = $1', [place.application.id]);
  expect((await fetchConfig(place)).body.campaigns).toEqual([]);
});
