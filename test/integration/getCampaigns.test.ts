// GET /api/v1/campaigns: what a device gets, by the clock, from every process, and the refusals.
import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { createCampaignDirectory } from '../../src/campaigns/campaignDirectory.ts';
import { findDeliverableCampaigns } from '../../src/campaigns/heldCampaign.ts';
import { composeDeps } from '../../src/compose/composeDeps.ts';
import type { Deps } from '../../src/deps.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { subscribe, type Subscription } from '../../src/platform/database/notifications.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { askAdmin } from '../support/adminClient.ts';
import {
  aCampaign,
  deliveredIn,
  editCampaign,
  fetchConfig,
  storeCampaign,
  withinASecond,
} from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/movedClock.ts';
import { pathsOf, sendReport } from '../support/reportSessions.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// GET /api/v1/campaigns: the delivered campaigns, their receivers and order, and a device's repeated request.
describe('getCampaigns', () => {
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
      const response = await fetchConfig(place);
      expect(response).toMatchObject({ status: 200, body: { campaigns: [], nextFetchSeconds: 900 } });
      expect(response.body.serverTime).toBeGreaterThan(before - 1);
      expect(response.body.serverTime).toBeLessThan(Date.now() / 1000 + 1);
      expect(response.headers['cache-control']).toBe('private, no-cache');
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
});

// GET /api/v1/campaigns: its refusals in the order of checks, and the service's own failures.
describe('getCampaigns: refusals', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  describe('refusals', () => {
    test('the key comes first and is 404', async () => {
      for (const headers of [{}, { 'X-Api-Key': 'unknown' }] as Record<string, string>[]) {
        const response = await service.client.get('getCampaigns', headers, '?appVersion=x');
        expect(response).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
      }
    });

    test.each([
      ['?platform=ios', ['platform']],
      ['?platform=', ['platform']],
      ['?appVersion=', ['appVersion']],
      ['?appVersion=1.5', ['appVersion']],
      ['?appVersion=-1', ['appVersion']],
      ['?appVersion=+1', ['appVersion']],
      ['?appVersion=1e3', ['appVersion']],
      ['?appVersion=0x10', ['appVersion']],
      ['?appVersion=%201', ['appVersion']],
      ['?appVersion=9007199254740992', ['appVersion']],
      [`?appVersion=${'9'.repeat(400)}`, ['appVersion']],
      ['?country=' + 'x'.repeat(257), ['country']],
      ['?deviceId=', ['deviceId']],
      ['?deviceId=%20', ['deviceId']],
      ['?deviceId=' + 'x'.repeat(257), ['deviceId']],
      ['?appVersion=1&appVersion=1', ['appVersion']],
      ['?country=DE&country=', ['country']],
      [
        '?platform=x&appVersion=x&osVersion=x&sdkVersion=x&country=a&country=b&deviceId=',
        ['appVersion', 'country', 'deviceId', 'osVersion', 'platform', 'sdkVersion'],
      ],
    ])('%s is 422', async (query, paths) => {
      const response = await fetchConfig(service, { query });
      expect(response).toMatchObject({ status: 422, body: { error: 'validation_failed' } });
      expect(pathsOf(response)).toEqual(paths);
    });

    test.each([
      '?appVersion=9007199254740991',
      '?appVersion=007',
      '?country=%zz',
      '?country=%00',
      '?',
      '?&&=&x',
      '??platform=x',
      '???',
    ])('%s is 200', async (query) => {
      expect((await fetchConfig(service, { query })).status).toBe(200);
    });
  });

  describe('failures of our own', () => {
    const failWith = (error: Error) => (deps: Deps) => ({
      ...deps,
      campaigns: { ...deps.campaigns, find: () => Promise.reject(error) },
    });

    test.each([
      ['an unexpected failure', new Error('secret detail'), 500],
      ['a database that is away', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503],
    ])('%s', async (_, error, status) => {
      await using broken = await startTestService({ change: failWith(error) });
      const response = await fetchConfig(broken, { tag: '*' });
      expect(response.status).toBe(status);
      expect(JSON.stringify(response)).not.toContain('secret detail');
      expect(response.headers['etag']).toBeUndefined();
    });
  });
});

// GET /api/v1/campaigns and X-Config-Revision: the clock alone starts or ends a campaign, without any request.
describe('getCampaigns: clock', () => {
  const start = new Date('2026-09-10T12:00:00.500Z');
  const end = new Date('2026-09-10T13:00:00Z');
  let now: Date;
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ now: () => now });
  });
  afterAll(() => service.stop());

  async function inNewApplication() {
    return { ...service, application: await service.newApplication() };
  }

  async function at(instant: Date, place: TestService) {
    now = instant;
    const config = await fetchConfig(place);
    const upload = await sendReport(place, aReport());
    expect(upload).toMatchObject({ status: 200, headers: { 'x-config-revision': config.body.revision } });
    expect(config.body.serverTime).toBe(Math.floor(instant.getTime() / 1000));
    return { ...config.body, tag: config.headers['etag']!, ids: config.body.campaigns.map(({ id }) => id) };
  }

  const before = (instant: Date, millis = 1) => new Date(instant.getTime() - millis);

  test('a scheduled campaign is delivered ahead; revision and tag change at its start and at its end', async () => {
    const place = await inNewApplication();
    const made = before(start, 86_400_000);
    const { id } = await storeCampaign(place, { state: 'SCHEDULED', startAt: start, endAt: end }, made);
    const scheduled = await at(before(start, 3_600_000), place);
    const stillScheduled = await at(before(start), place);
    const running = await at(start, place);
    const stillRunning = await at(before(end), place);
    const over = await at(end, place);
    expect([scheduled, stillScheduled, running, stillRunning, over].map(({ ids }) => ids)).toEqual([
      [id],
      [id],
      [id],
      [id],
      [],
    ]);
    for (const field of ['revision', 'tag'] as const) {
      expect(stillScheduled[field]).toBe(scheduled[field]);
      expect(stillRunning[field]).toBe(running[field]);
      expect(new Set([scheduled, running, over].map((config) => config[field])).size).toBe(3);
    }
    expect(running.campaigns).toEqual(scheduled.campaigns);
    expect((await at(before(start), place)).revision).toBe(scheduled.revision);
  });

  test('the next fetch is due when something starts or ends, within bounds', async () => {
    const place = await inNewApplication();
    await storeCampaign(place, { state: 'SCHEDULED', startAt: start, endAt: end }, before(start, 86_400_000));
    const due = async (instant: Date) => (await at(instant, place)).nextFetchSeconds;
    expect(await due(before(start, 3_600_000))).toBe(900);
    expect(await due(before(start, 600_400))).toBe(601);
    expect(await due(before(start))).toBe(30);
    expect(await due(start)).toBe(900);
    expect(await due(before(end, 31_000))).toBe(31);
    expect(await due(end)).toBe(900);
  });

  test('a campaign that was activated by hand runs at once, whatever its start says', async () => {
    const place = await inNewApplication();
    const schedule = { startAt: start, endAt: end };
    await storeCampaign(place, { state: 'ACTIVE', ...schedule }, before(start, 60_000));
    const early = await at(before(start, 30_000), place);
    expect(early.campaigns[0]!.schedule).toEqual({ startAt: null, endAt: end.toISOString() });
    expect((await at(start, place)).revision).toBe(early.revision);
    const later = await inNewApplication();
    await storeCampaign(later, { state: 'ACTIVE', ...schedule }, start);
    expect((await at(start, later)).campaigns[0]!.schedule.startAt).toBe(start.toISOString());
  });

  test('the response to an upload tells of an edit', async () => {
    const place = await inNewApplication();
    const campaign = await storeCampaign(place);
    const running = await at(start, place);
    await editCampaign(place, campaign, { state: 'PAUSED' });
    const revision = async () => (await sendReport(place, aReport())).headers['x-config-revision'];
    await withinASecond(async () => (await revision()) !== running.revision);
    expect((await at(start, place)).ids).toEqual([]);
  });

  test('a clock that is set back by an hour finds in memory what had ended meanwhile', async () => {
    const place = await inNewApplication();
    const running = before(end, 1_800_000);
    expect((await at(running, place)).ids).toEqual([]);
    const { id } = await storeCampaign(place, { startAt: start, endAt: end }, before(start));
    // By then the notification of the campaign has arrived. A later one would outdate the cached read, or separate a
    // configuration from the upload after it.
    await withinASecond(async () => (await fetchConfig(place)).body.campaigns.some((campaign) => campaign.id === id));
    expect((await at(before(end, -1_800_000), place)).ids).toEqual([]);
    const reads = await statementsOf(async () => expect((await at(running, place)).ids).toEqual([id]));
    expect(reads.filter((text) => text.includes('findDeliverableCampaigns'))).toEqual([]);
  });
});

// The network between a process and its notifications falls silent: no error appears, and an edit still arrives within a second.
describe('getCampaigns: silence', () => {
  let service: TestService;
  let proxy: { server: Server; url: string; sockets: Socket[] };
  beforeAll(async () => {
    service = await startTestService();
    proxy = await startProxy(service.database.url);
  });
  afterAll(async () => {
    proxy.sockets.forEach((socket) => socket.destroy());
    proxy.server.close();
    await service.stop();
  });

  test('memory is not trusted, and is trusted again over a new connection', async () => {
    const { id } = service.application;
    const { pool } = service.database;
    // Stopped, so that no pause of the machine takes the second in which memory is trusted.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    let reads = 0;
    let subscription: Subscription;
    const campaigns = createCampaignDirectory({
      read(applicationId) {
        reads += 1;
        return findDeliverableCampaigns(pool, { applicationId, endedBefore: new Date(0) });
      },
      subscribe(handlers) {
        // Longer than a pause of a busy machine, which is no silence.
        const connection = { connectionString: proxy.url, query_timeout: 9_000, connectionTimeoutMillis: 20_000 };
        const options = { ...handlers, connection, channel: 'campaigns_changed', log: createLog('silent') };
        return (subscription = subscribe(options));
      },
    });
    const live = () =>
      eventually(
        async () => subscription.live(),
        (is) => is,
      );
    const name = () => campaigns.find(id, new Date()).then((config) => deliveredIn(config)[0]?.name);
    const campaign = await storeCampaign(service, { name: 'one' });
    await name();
    await live();
    expect(await name()).toBe('one');
    proxy.sockets.splice(0).forEach((socket) => socket.pause());
    const edited = await editCampaign(service, campaign, { name: 'two' });
    expect(await name()).toBe('one');
    clock.mockReturnValue(performance.now() + 1_001);
    expect(await name()).toBe('two');
    expect(subscription!.live()).toBe(false);
    await live();
    await name();
    const readsBefore = reads;
    await editCampaign(service, edited, { name: 'three' });
    await eventually(name, (is) => is === 'three');
    expect(reads).toBe(readsBefore + 1);
    clock.mockRestore();
    await campaigns.stop();
  });

  /** Forwards bytes both ways until its sockets are paused. */
  async function startProxy(databaseUrl: string): Promise<typeof proxy> {
    const target = new URL(databaseUrl);
    const sockets: Socket[] = [];
    const server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.push(from);
        from.on('data', (bytes) => to.write(bytes));
        from.on('close', () => to.destroy());
        from.on('error', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { server, url: url.href, sockets };
  }
});

// The campaigns in memory: two processes on one database, their reads of it, and their behaviour when it does not respond.
describe('getCampaigns: processes', () => {
  const log = createLog('silent');
  let service: TestService;
  /** Another process on the same database. */
  let other: { deps: Deps; database: Database; reads: () => number };
  beforeAll(async () => {
    service = await startTestService();
    const database = openDatabase({ url: service.database.url, poolSize: 2, statementTimeoutMillis: 20_000, log });
    let reads = 0;
    const query = database.pool.query.bind(database.pool) as (...given: unknown[]) => unknown;
    database.pool.query = ((...given: unknown[]) => {
      if (JSON.stringify(given[0]).includes('campaigns:')) reads += 1;
      return query(...given);
    }) as typeof database.pool.query;
    const config = {
      encryptionKeys: [Buffer.alloc(32, 1)] as [Buffer],
      tokenKeys: [Buffer.alloc(32, 2)] as [Buffer],
      signatureRequired: false,
      ingestQueueUploads: 8,
      signup: 'open' as const,
    };
    other = { deps: composeDeps({ config, database, log }), database, reads: () => reads };
  });
  afterAll(async () => {
    await other.deps.campaigns.stop();
    await other.database.close();
    await service.stop();
  });

  function namesIn(deps: Deps, applicationId: string): Promise<string[]> {
    return deps.campaigns.find(applicationId, new Date()).then((config) => deliveredIn(config).map(({ name }) => name));
  }

  /** A heartbeat was sent and its response has come, and another one was sent, since this was called: by each process that listens. */
  async function heartbeats(): Promise<void> {
    const asked = async () => {
      const { rows } = await service.database.pool.query<{ at: string }>(
        `SELECT min(query_start)::text AS at FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE '/* notifications: heartbeat%'`,
      );
      return rows[0]!.at;
    };
    for (let times = 0; times < 2; times += 1) {
      const before = await asked();
      await eventually(asked, (at) => at !== null && at !== before);
    }
  }

  /** Waits until the other process hears notifications: from then on it reads nothing twice. */
  async function heard(applicationId: string): Promise<void> {
    let known = -1;
    while (known !== other.reads()) {
      await namesIn(other.deps, applicationId);
      known = other.reads();
      // Longer than what is remembered counts without notifications.
      moveClock(1_200);
      await heartbeats();
      await namesIn(other.deps, applicationId);
    }
  }

  /**
   * The work costs the other process so many reads. It is tried again where it costs another number: for more than a second
   * the machine may have kept the process from hearing anything, and then it trusts its memory no longer.
   */
  async function expectReads(applicationId: string, wanted: number, work: () => Promise<void>): Promise<void> {
    let reads = NaN;
    for (let times = 0; times < 4 && reads !== wanted; times += 1) {
      await heard(applicationId);
      const before = other.reads();
      await work();
      reads = other.reads() - before;
    }
    expect(reads).toBe(wanted);
  }

  test('between changes nothing is asked, and a change by another process is seen within a second', async () => {
    const place = { ...service, application: await service.newApplication() };
    const { id } = place.application;
    let campaign = await storeCampaign(place, { name: 'one' });
    await expectReads(id, 0, async () => {
      for (let i = 0; i < 50; i++) expect(await namesIn(other.deps, id)).toEqual(['one']);
      moveClock(1_500);
      await heartbeats();
      expect(await namesIn(other.deps, id)).toEqual(['one']);
    });
    await expectReads(id, 2, async () => {
      for (const name of ['two', 'three']) {
        campaign = await editCampaign(place, campaign, { name });
        await withinASecond(async () => (await namesIn(other.deps, id))[0] === name);
      }
    });
    expect((await fetchConfig(place)).body.campaigns[0]!.name).toBe('three');
  });

  test('a change without the service is seen as well, and a rolled back one asks for nothing', async () => {
    const { id } = await service.newApplication();
    await heard(id);
    const { pool } = service.database;
    const insert = `INSERT INTO campaigns (id, application_id, name, state, trigger, action) VALUES
    (gen_random_uuid(), '${id}', 'by psql', 'ACTIVE', '{"event":"E","type":"CUSTOM"}', '{"type":"message"}')`;
    // Both reads are of the other application.
    await expectReads(id, 2, async () => {
      const later = { ...service, application: await service.newApplication() };
      expect(await namesIn(other.deps, later.application.id)).toEqual([]);
      await pool.query(`BEGIN; ${insert}; ROLLBACK`);
      // Notifications come in their order: when this one was heard, that one would have been.
      await storeCampaign(later);
      await withinASecond(async () => (await namesIn(other.deps, later.application.id)).length === 1);
      expect(await namesIn(other.deps, id)).toEqual([]);
    });
    await pool.query(insert);
    await withinASecond(async () => (await namesIn(other.deps, id)).length === 1);
    await pool.query('DELETE FROM campaigns WHERE application_id = $1', [id]);
    await withinASecond(async () => (await namesIn(other.deps, id)).length === 0);
  });

  test('a lost listener comes back, and what changed meanwhile is seen within a second', async () => {
    const place = { ...service, application: await service.newApplication() };
    const { id } = place.application;
    const campaign = await storeCampaign(place, { name: 'before' });
    await heard(id);
    const { rows } = await service.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE '/* notifications: heartbeat%'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(1);
    let edited = await editCampaign(place, campaign, { name: 'meanwhile' });
    await withinASecond(async () => (await namesIn(other.deps, id))[0] === 'meanwhile');
    await expectReads(id, 1, async () => {
      edited = await editCampaign(place, edited, { name: `after ${edited.version}` });
      await withinASecond(async () => (await namesIn(other.deps, id))[0] === edited.name);
    });
  });

  test('what changed while the listener was away is seen, also by who asks only after it is back', async () => {
    const { id } = await service.newApplication();
    await heard(id);
    const { pool } = service.database;
    const listeners = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '/* notifications: heartbeat%'`;
    const { rows } = await pool.query(`SELECT pg_terminate_backend(pid) ${listeners}`);
    await pool.query(
      `INSERT INTO campaigns (id, application_id, name, state, trigger, action) VALUES
      (gen_random_uuid(), $1, 'meanwhile', 'ACTIVE', '{"event":"E","type":"CUSTOM"}', '{"type":"message"}')`,
      [id],
    );
    const back = () => pool.query(`SELECT pid ${listeners}`).then(({ rowCount }) => rowCount);
    await eventually(back, (count) => count === rows.length);
    await withinASecond(async () => (await namesIn(other.deps, id))[0] === 'meanwhile');
  });

  test('requests at once share one reading', async () => {
    const { id } = await service.newApplication();
    const reads = other.reads();
    await Promise.all(Array.from({ length: 40 }, () => namesIn(other.deps, id)));
    expect(other.reads()).toBe(reads + 1);
  });

  describe('while campaigns cannot be read', () => {
    const away = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
    const deaf = () => ({ live: () => false, stop: () => Promise.resolve() });

    test('an upload is stored and told the last known revision', async () => {
      let pending = true;
      const campaigns = createCampaignDirectory({
        read: () => (pending ? Promise.resolve([]) : away()),
        subscribe: deaf,
      });
      await using broken = await startTestService({ change: (deps) => ({ ...deps, campaigns }) });
      const first = await sendReport(broken, aReport());
      pending = false;
      moveClock(1_100);
      expect((await fetchConfig(broken)).status).toBe(503);
      const second = await sendReport(broken, aReport());
      expect(second).toMatchObject({
        status: 200,
        headers: { 'x-config-revision': first.headers['x-config-revision'] },
      });
    });

    test('and none was ever known, an upload is 503 and not stored', async () => {
      const campaigns = createCampaignDirectory({ read: away, subscribe: deaf });
      await using broken = await startTestService({ change: (deps) => ({ ...deps, campaigns }) });
      expect((await sendReport(broken, aReport())).status).toBe(503);
      expect(await broken.database.prisma.session.count()).toBe(0);
    });
  });
});

// query countries: ISO 3166-1, for every caller.
describe('countries', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('countries are those of ISO 3166-1, by name', async () => {
    const { data } = await askAdmin(service.url, { query: '{ countries { code name } }' });
    const all = data!['countries'] as { code: string; name: string }[];
    expect(all).toHaveLength(249);
    expect(all[0]).toEqual({ code: 'AF', name: 'Afghanistan' });
    expect(all.map(({ code }) => code)).toEqual(expect.arrayContaining(['DE', 'AX', 'TW']));
    expect(all.map(({ code }) => code)).not.toContain('XK');
  });
});
