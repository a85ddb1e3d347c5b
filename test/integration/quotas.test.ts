// Quotas, and the counts of what was refused or dropped.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type CountedIssue,
  createIssueCounts,
  deleteOldIssues,
  type RefusedRequest,
  removeIssues,
  saveIssues,
} from '../../src/analytics/issueCounts.ts';
import { composeDeps } from '../../src/compose/composeDeps.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import type { Admission, BoundOperation, Counted, Quotas } from '../../src/quotas/quotas.ts';
import { deleteOldUses, findHours, findStandings, type HourOfQuota } from '../../src/quotas/quotasStore.ts';
import { awayFromTurn } from '../support/awayFromTurn.ts';
import { testOnOneNode } from '../support/citusCluster.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession, signedHeaders } from '../support/uploads.ts';

// Quotas: what a stranger with the public key alone can store, and what signed uploads and known devices notice of it.
describe('quotas', () => {
  const mebi = 1_048_576;
  const lines: string[] = [];
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      quota: { bytes: mebi, devices: 100_000, signedBytes: mebi },
      log: createLog('warn', { write: (line: string) => void lines.push(line) }),
    });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await awayFromTurn('hour');
    service.application = await service.newApplication();
  });

  const key = () => ({ 'X-Api-Key': service.application.key.public });
  const ok = { status: 200, body: {} };

  /** 240 kB that gzip makes 400 bytes of. */
  function attribution(id: string = randomUUID()): Buffer {
    const text = `{"text":"${randomUUID()}${'x'.repeat(60_000)}"}`;
    const payloads = `{"provider_a":${text},"provider_b":${text},"store_search_ads":${text}}`;
    return Buffer.from(
      `{"device":{"id":"${id}"},"system":{"os_version":"1"},"attribution":${payloads},"custom":${text}}`,
    );
  }
  const attribute = (body: Buffer) =>
    service.client.send('reportAttribution', { ...key(), 'Content-Encoding': 'gzip' }, gzipSync(body));
  const purchase = (id: string, ids: string[] = [randomUUID()]) =>
    service.client.send('reportStoreTransactions', key(), {
      device: { id },
      transactions: ids.map((each) => ({ id: each })),
    });
  const upload = (report: unknown) => service.client.send('reportSessions', key(), report);
  function uploadSigned(id: string) {
    const body = Buffer.from(JSON.stringify(aReport({ device: aDevice(id) })));
    return service.client.send('reportSessions', signedHeaders(service.application.key, body), body);
  }

  /** Some 165 kB of rows. */
  function largeReport() {
    const params = [{ name: 'text', value: 'x'.repeat(8_000) }];
    return aReport({ sessions: [aSession({ events: Array.from({ length: 20 }, () => anEvent({ params })) })] });
  }

  test('somebody who has the secret too stores so much with signed uploads in an hour, and nobody else notices', async () => {
    const sendSigned = ({ key: own }: TestService['application'], report: unknown) => {
      const body = Buffer.from(JSON.stringify(report));
      const headers = signedHeaders(own, body);
      return { again: () => service.client.send('reportSessions', headers, body) };
    };
    const statuses: number[] = [];
    const first = sendSigned(service.application, largeReport());
    for (let index = 0; index < 4; index += 1) statuses.push((await first.again()).status);
    for (let index = 0; index < 9; index += 1)
      statuses.push((await sendSigned(service.application, largeReport()).again()).status);
    // A repeat with its nonce uses nothing: the seventh of the different ones passes the mebibyte.
    expect(statuses.indexOf(503)).toBe(3 + 7);
    expect(new Set(statuses.slice(3 + 7))).toEqual(new Set([503]));
    const refused = await first.again();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1_800);

    const other = await service.newApplication();
    expect(await sendSigned(other, aReport()).again()).toMatchObject(ok);
    expect(await attribute(attribution())).toMatchObject(ok);
    expect(await upload(aReport())).toMatchObject(ok);

    const { signedSessions } = await hours();
    expect(signedSessions).toMatchObject({ newDevices: 0, refused: 4 });
    expect(signedSessions!.bytes).toBeGreaterThan(7 * 160_000);
    expect(signedSessions!.bytes).toBeLessThan(7 * 180_000);
    const metrics = readMetrics(await service.deps.metrics.registry.metrics());
    const labels = { operation: 'signedSessions', unit: 'bytes' };
    expect(valueOf(metrics, 'ingest_quota_refusals_total', labels)).toBeGreaterThanOrEqual(4);
    expect(valueOf(metrics, 'ingest_quota_used_ratio', labels)).toBeGreaterThan(1);
    const { id: application } = service.application;
    expect(valueOf(metrics, 'ingest_signed_quota_used_ratio', { application })).toBeGreaterThan(1);
    // An application that hardly grows has no series of its own.
    expect(valueOf(metrics, 'ingest_signed_quota_used_ratio', { application: other.id })).toBe(0);
    const told = lines.map((line) => JSON.parse(line) as { msg: string; applicationId: string });
    expect(
      told.filter(({ msg, applicationId }) => msg.includes('signed uploads') && applicationId === application),
    ).toHaveLength(1);
  });

  /** Until the first refusal, which is the fifth. */
  async function useUp(): Promise<void> {
    for (let index = 0; index < 5; index += 1) await attribute(attribution());
  }

  async function hours(): Promise<Record<string, HourOfQuota>> {
    await service.deps.quotas.flush();
    const rows = await findHours(service.database.pool, [service.application.id], 10);
    return Object.fromEntries(rows.map((row) => [row.operation, row]));
  }

  function expectPause({ status, body, headers }: Awaited<ReturnType<typeof attribute>>): void {
    expect([status, body]).toMatchObject([503, { error: 'unavailable', status: 503 }]);
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1_800);
    expect(seconds).toBeLessThanOrEqual(5_400);
  }

  test('ten gzip bodies of attribution with a public key alone fill no disk', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 10; index += 1) statuses.push((await attribute(attribution())).status);
    expect(statuses).toEqual([...Array<number>(4).fill(200), ...Array<number>(6).fill(503)]);
    expectPause(await attribute(attribution()));
    const { rows } = await service.database.pool.query<{ bytes: string }>(
      'SELECT sum(length(provider_a::text) + length(provider_b::text)) AS bytes FROM attribution_reports WHERE application_id = $1',
      [service.application.id],
    );
    expect(Number(rows[0]!.bytes)).toBeLessThan(mebi);
    expect((await hours())['reportAttribution']).toMatchObject({ newDevices: 4, refused: 7, refusedInDay: 7 });
    const facts = { applicationId: service.application.id, operation: 'reportAttribution', unit: 'bytes' };
    const told = lines
      .map((line) => JSON.parse(line) as { msg: string })
      .filter(({ msg }) => msg.startsWith('a quota'));
    expect(told).toMatchObject([facts]);
  });

  test('bodies that arrive together store no more than bodies one after the other', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => attribute(attribution())));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(4);
  });

  test('signed uploads, known devices and other operations notice nothing, and use nothing', async () => {
    const id = randomUUID();
    expect(await uploadSigned(id)).toMatchObject(ok);
    await useUp();
    const before = await hours();
    expect(await uploadSigned(randomUUID())).toMatchObject(ok);
    for (let index = 0; index < 5; index += 1) expect(await attribute(attribution(id))).toMatchObject(ok);
    expect(await purchase(id)).toMatchObject(ok);
    expect({ ...(await hours()), signedSessions: null }).toEqual({ ...before, signedSessions: null });
    expect(await purchase(randomUUID())).toMatchObject(ok);
    expect(await upload(aReport())).toMatchObject(ok);
  });

  test('while the quota has room, an upload asks the database nothing more, but for the reports of a new device; all uses are settled together', async () => {
    await service.deps.quotas.flush();
    const { pool } = service.database;
    const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
    const asked: string[] = [];
    pool.query = ((...given: unknown[]) => {
      const [, name] = /(quotas: \w+)/.exec(JSON.stringify(given[0])) ?? [];
      if (name) asked.push(name);
      return query(...given);
    }) as typeof pool.query;
    try {
      expect(await uploadSigned(randomUUID())).toMatchObject(ok);
      await service.deps.quotas.flush();
      expect(asked.splice(0)).toEqual(['quotas: settleUses']);
      const report = aReport();
      expect(await upload(report)).toMatchObject(ok);
      await service.deps.quotas.flush();
      expect(asked.splice(0)).toEqual(['quotas: findReporters', 'quotas: settleUses']);
      expect(await upload(report)).toMatchObject(ok);
      expect(asked).toEqual([]);
    } finally {
      pool.query = query as typeof pool.query;
    }
  });

  test('of new device ids the hundred thousand first are stored', async () => {
    await service.database.pool.query(
      `INSERT INTO quota_uses (application_id, operation, hour, bytes, devices, refused)
     SELECT $1, operation, date_trunc('hour', now(), 'UTC'), 0, 99990, 0
     FROM unnest(ARRAY['reportSessions', 'reportAttribution', 'reportStoreTransactions']) AS o (operation)`,
      [service.application.id],
    );
    const small = (id: string) =>
      service.client.send('reportAttribution', key(), {
        ...{ device: { id }, system: { os_version: '1' } },
        attribution: { provider_a: { text: randomUUID() } },
      });
    const sends = [small, (id: string) => purchase(id), (id: string) => upload(aReport({ device: aDevice(id) }))];
    for (const send of sends) {
      const first = randomUUID();
      expect(await send(first)).toMatchObject(ok);
      // The process has heard of the others.
      await service.deps.quotas.flush();
      const responses = [];
      for (let index = 0; index < 20; index += 1) responses.push(await send(randomUUID()));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(9);
      expectPause(responses.at(-1)!);
      // A device that is stored is no new one.
      expect(await send(first)).toMatchObject(ok);
    }
  });

  test('the admin API shows use, quota and refusals, and the metrics too', async () => {
    await useUp();
    await service.deps.quotas.flush();
    const user = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
    const { data, codes } = await user.ask(
      `{ applications { id ingestQuotas { operation signed since bytes bytesPerHour newDevices newDevicesPerHour refused refusedInDay } } }`,
    );
    expect(codes).toEqual([]);
    const [application] = data!['applications'] as { ingestQuotas: Record<string, unknown>[] }[];
    const since = expect.stringMatching(/:00:00\.000Z$/) as unknown;
    const none = { bytes: 0, newDevices: 0, refused: 0, refusedInDay: 0 };
    const quota = { signed: false, since, bytesPerHour: mebi, newDevicesPerHour: 100_000 };
    expect(application!.ingestQuotas).toEqual([
      { operation: 'reportSessions', ...quota, ...none },
      {
        operation: 'reportAttribution',
        ...quota,
        bytes: expect.any(Number) as number,
        newDevices: 4,
        refused: 1,
        refusedInDay: 1,
      },
      { operation: 'reportStoreTransactions', ...quota, ...none },
      { operation: 'reportSessions', ...quota, ...none, signed: true, newDevicesPerHour: null },
    ]);
    const bytes = application!.ingestQuotas[1]!['bytes'] as number;
    expect(bytes).toBeGreaterThan(4 * 240_000);
    const metrics = readMetrics(await service.deps.metrics.registry.metrics());
    const labels = { operation: 'reportAttribution', unit: 'bytes' };
    expect(valueOf(metrics, 'ingest_quota_refusals_total', labels)).toBeGreaterThan(0);
    expect(valueOf(metrics, 'ingest_quota_used_total', labels)).toBeGreaterThanOrEqual(bytes);
    expect(valueOf(metrics, 'ingest_quota_used_ratio', labels)).toBeGreaterThan(0.9);
  });
});

// What a request uses of its quota: only what it has added, near to what the tables grow by; and several processes together.
describe('quotas: counts', () => {
  const quota = { bytes: 100_000_000, devices: 100_000, signedBytes: null };
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ quota });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await awayFromTurn('hour');
    service.application = await service.newApplication();
  });

  const key = () => ({ 'X-Api-Key': service.application.key.public });
  const send = async (operation: BoundOperation, body: unknown): Promise<void> => {
    const { status } = await service.client.send(operation, key(), body);
    expect(status).toBe(200);
  };
  const attribution = (id: string, text = 'organic') => ({
    ...{ device: { id }, system: { os_version: '17.5.1' } },
    attribution: { provider_a: { text } },
  });
  const purchases = (id: string, ids: string[], external?: string) => ({
    device: { id, external_id: external },
    transactions: ids.map((each) => ({ id: each })),
  });

  async function used(operation: BoundOperation) {
    await service.deps.quotas.flush();
    const rows = await findHours(service.database.pool, [service.application.id], 10);
    const { bytes, newDevices } = rows.find((row) => row.operation === operation)!;
    return { bytes, newDevices };
  }

  describe('a body that comes again adds nothing', () => {
    test.each<[BoundOperation, (id: string) => unknown]>([
      ['reportSessions', (id) => aReport({ device: aDevice(id), sessions: [aSession(), aSession()] })],
      ['reportAttribution', (id) => attribution(id)],
      ['reportStoreTransactions', (id) => purchases(id, [randomUUID(), randomUUID()])],
    ])('%s', async (operation, make) => {
      const body = make(randomUUID());
      await send(operation, body);
      const once = await used(operation);
      expect(once).toEqual({ bytes: expect.any(Number) as number, newDevices: 1 });
      expect(once.bytes).toBeGreaterThan(300);
      for (let times = 0; times < 3; times += 1) await send(operation, body);
      expect(await used(operation)).toEqual(once);
    });
  });

  test('events that come later add themselves alone, also where one body has their session twice', async () => {
    const device = aDevice();
    const session = aSession({ events: [anEvent()] });
    await send('reportSessions', aReport({ device, sessions: [session] }));
    const first = await used('reportSessions');
    const text = (letter: string) => anEvent({ params: [{ name: 'text', value: letter.repeat(8_000) }] });
    const more = { ...session, events: [...session.events!, text('a'), text('b')] };
    await send('reportSessions', aReport({ device, sessions: [more, { ...session, events: [text('c')] }] }));
    const second = await used('reportSessions');
    expect(second.newDevices).toBe(1);
    expect(second.bytes - first.bytes).toBeGreaterThan(24_000);
    expect(second.bytes - first.bytes).toBeLessThan(28_000);
  });

  test('a repeated session with another state of the device adds that state', async () => {
    const report = aReport();
    await send('reportSessions', report);
    const first = await used('reportSessions');
    const properties = [{ name: 'text', value: 'x'.repeat(8_000) }];
    await send('reportSessions', { ...report, user: { properties } });
    const second = await used('reportSessions');
    expect(second.bytes - first.bytes).toBeGreaterThan(8_000);
    await send('reportSessions', { ...report, user: { properties, lastSyncTS: 1 } });
    expect(await used('reportSessions')).toEqual(second);
    const { device } = report;
    const vendorIdentifier = 'y'.repeat(1_000);
    await send('reportSessions', {
      ...report,
      device: { ...device, properties: { ...device.properties, vendorIdentifier } },
    });
    expect((await used('reportSessions')).bytes - second.bytes).toBeGreaterThan(1_000);
  });

  test('a purchase under another external id adds a claim', async () => {
    const [id, transaction] = [randomUUID(), randomUUID()];
    await send('reportStoreTransactions', purchases(id, [transaction]));
    const first = await used('reportStoreTransactions');
    await send('reportStoreTransactions', purchases(id, [transaction], 'user-1'));
    const second = await used('reportStoreTransactions');
    expect(second.bytes).toBeGreaterThan(first.bytes);
    expect(second.bytes - first.bytes).toBeLessThan(first.bytes);
  });

  testOnOneNode('what is counted is near what tables and keys grow by', async () => {
    const { pool } = service.database;
    const tables: Record<BoundOperation, string[]> = {
      reportSessions: ['devices', 'sessions', 'session_changes'],
      reportAttribution: ['attribution_reports'],
      reportStoreTransactions: ['store_transactions', 'store_transaction_devices', 'store_claims'],
    };
    const sizeOf = async (operation: BoundOperation) => {
      const { rows } = await pool.query<{ size: string }>(
        `SELECT sum(pg_total_relation_size(name::regclass)) AS size FROM (
         SELECT unnest($1::text[]) AS name
         UNION ALL SELECT inhrelid::regclass::text FROM pg_inherits WHERE $2 AND inhparent = 'events'::regclass
         UNION ALL SELECT c.oid::regclass::text FROM pg_class c WHERE NOT $2 AND c.relname IN ('_private_jobs')) names`,
        [tables[operation], operation === 'reportSessions'],
      );
      return Number(rows[0]!.size);
    };
    const bodies: Record<BoundOperation, () => unknown> = {
      reportSessions: () =>
        aReport({ device: aDevice(), sessions: [aSession({ events: Array.from({ length: 10 }, () => anEvent()) })] }),
      reportAttribution: () => attribution(randomUUID(), randomUUID().repeat(20)),
      reportStoreTransactions: () =>
        purchases(
          randomUUID(),
          Array.from({ length: 10 }, () => randomUUID()),
        ),
    };
    for (const operation of Object.keys(tables) as BoundOperation[]) {
      const [size, before] = [await sizeOf(operation), await used(operation)];
      for (let round = 0; round < 20; round += 1)
        await Promise.all(Array.from({ length: 10 }, () => send(operation, bodies[operation]())));
      const grown = (await sizeOf(operation)) - size;
      const counted = (await used(operation)).bytes - before.bytes;
      const ratio = counted / grown;
      expect([operation, ratio > 0.5 && ratio < 2]).toEqual([operation, true]);
    }
  });

  test('another process on the same database hears of the use within a settlement, and refuses too', async () => {
    const log = createLog('silent');
    const database = openDatabase({ url: service.database.url, poolSize: 2, statementTimeoutMillis: 20_000, log });
    const config = {
      ...{ encryptionKeys: [Buffer.alloc(32, 1)] as [Buffer], tokenKeys: [Buffer.alloc(32, 2)] as [Buffer] },
      ...{ signatureRequired: false, ingestQueueUploads: 8, signup: 'open' as const, quota },
    };
    const other = composeDeps({ config, database, log });
    try {
      const applicationId = service.application.id;
      const request = () => {
        const key = deviceKey(applicationId, randomUUID());
        return { applicationId, operation: 'reportAttribution', deviceKey: key, bytes: 40_000_000 } as const;
      };
      const admit = async (quotas: Quotas, bytes = 40_000_000): Promise<Admission> =>
        (await quotas.admit([{ ...request(), bytes }]))[0]!;
      const use = async (quotas: Quotas, bytes?: number): Promise<void> => {
        const admission = (await admit(quotas, bytes)) as Counted;
        admission.added({ bytes: bytes ?? 40_000_000, devices: 1 });
        admission.leave();
        await quotas.flush();
      };
      for (const quotas of [other.quotas, service.deps.quotas]) await use(quotas);
      // The first one has not settled since, and learns of the second one's use with its own next request.
      expect(await admit(service.deps.quotas)).toBe('refused');
      await use(other.quotas, 1_600_000);
      expect(await admit(other.quotas)).toBe('refused');
    } finally {
      await other.quotas.stop();
      await other.campaigns.stop();
      await database.close();
    }
  });

  test('a use is kept for eight days, and of an unknown application none is', async () => {
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO quota_uses SELECT $1, 'reportSessions', date_trunc('hour', now()) - make_interval(days => day), 1, 1, 1
     FROM generate_series(7, 9) day`,
      [service.application.id],
    );
    await deleteOldUses(pool);
    const left = await pool.query('SELECT FROM quota_uses WHERE application_id = $1', [service.application.id]);
    expect(left.rowCount).toBe(1);
    const request = { applicationId: randomUUID(), operation: 'reportSessions', deviceKey: randomUUID() } as const;
    const [admission] = (await service.deps.quotas.admit([{ ...request, bytes: 5 }])) as [Counted];
    admission.added({ bytes: 5, devices: 1 });
    admission.leave();
    await service.deps.quotas.flush();
    const stored = await pool.query('SELECT FROM quota_uses WHERE bytes = 5');
    expect(stored.rowCount).toBe(0);
  });

  test('one look-up tells of many devices what is stored of each', async () => {
    const anId = () => randomUUID();
    const [unsigned, signed, attributed, bought, rich, unknown] = [anId(), anId(), anId(), anId(), anId(), anId()];
    await send('reportSessions', aReport({ device: aDevice(unsigned) }));
    const body = Buffer.from(JSON.stringify(aReport({ device: aDevice(signed) })));
    await service.client.send('reportSessions', signedHeaders(service.application.key, body), body);
    for (const id of [signed, attributed]) await send('reportAttribution', attribution(id));
    await send('reportStoreTransactions', purchases(attributed, [randomUUID()]));
    // More of them than one statement reads: the other devices are found nevertheless.
    const many = (id: string) =>
      purchases(
        id,
        Array.from({ length: 100 }, () => randomUUID()),
      );
    for (const id of [bought, bought, bought, rich, rich, rich]) await send('reportStoreTransactions', many(id));
    const asked = [unsigned, unknown, bought, rich, signed, attributed, unsigned];
    const standings = await findStandings(
      service.database.pool,
      asked.map((id) => deviceKey(service.application.id, id)),
    );
    const [known, strange] = [true, false].map((each) => ({ known: each, signed: false }));
    expect(standings).toEqual([known, strange, known, known, { ...known, signed: true }, known, known]);
  });
});

// query ingestIssues: what is counted, by which line and day, from several processes, and that no value is in it.
describe('ingestIssues: counts', () => {
  let service: TestService;
  beforeAll(async () => (service = await startTestService()));
  beforeEach(() => awayFromTurn('day'));
  afterAll(() => service.stop());

  type Issue = CountedIssue & { day: string };
  const fields = 'day operation status reason path sdkVersion appVersion count firstAt lastAt samplePath sampleMessage';

  async function newApplication(timeZone = 'UTC') {
    const application = await service.newApplication();
    await service.database.pool.query('UPDATE applications SET time_zone = $1 WHERE id = $2', [
      timeZone,
      application.id,
    ]);
    const viewer = await newUser(service, await organizationOf(service, application.id), 'viewer');
    return { ...application, viewer };
  }

  async function issuesOf(viewer: TestUser, applicationId: string, more = ''): Promise<Issue[]> {
    const now = Date.now();
    const [from, to] = [-3, 3].map((days) => new Date(now + days * 86_400_000).toISOString().slice(0, 10));
    const { data, errors } = await viewer.ask(
      `{ ingestIssues(applicationId: "${applicationId}", from: "${from}", to: "${to}", limit: 200 ${more}) { nodes { ${fields} } } }`,
    );
    expect(errors).toEqual([]);
    return (data as { ingestIssues: { nodes: Issue[] } }).ingestIssues.nodes;
  }

  const [store, session] = ['/api/v1/tm/store', '/api/v1/session'];
  const post = (
    key: string,
    body: unknown,
    { path = store, ...headers }: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': key, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  const refused = (applicationId: string, change: Partial<RefusedRequest> = {}): RefusedRequest => ({
    ...{ applicationId, operation: 'reportSessions', sdkVersion: 5_002, appVersion: null, at: new Date() },
    faults: [{ status: 422, reason: 'required', path: 'sessions[3].id', message: 'is required' }],
    ...change,
  });

  /** As another process of the service has it. */
  const newProcess = () =>
    createIssueCounts({ save: (issues) => saveIssues(service.database.pool, issues), log: createLog('silent') });

  test('a refused upload is a line for each different path, and never a value', async () => {
    const { id, key, viewer } = await newApplication();
    const secret = 'anna@example.com';
    const device = { properties: { sdkVersionNormalized: 5_002, appVersionNormalized: secret }, id: 7 };
    const body = { device, sessions: [{ id: secret }, { id: secret }, { userId: secret }] };
    for (let times = 0; times < 2; times += 1) {
      expect((await post(key.public, body, { path: session })).status).toBe(422);
    }
    expect((await post(`pub_${'x'.repeat(32)}`, body)).status).toBe(404);
    await service.deps.issues.flush();
    const issues = await issuesOf(viewer, id);
    const day = new Date().toISOString().slice(0, 10);
    const shared = { day, operation: 'reportSessions', status: 422, sdkVersion: 5_002, appVersion: null, count: 2 };
    for (const issue of issues) expect(issue).toMatchObject(shared);
    expect(issues).toContainEqual(expect.objectContaining({ path: 'device.id', reason: 'type' }));
    expect(issues).toContainEqual(expect.objectContaining({ path: 'device.properties.appVersionNormalized' }));
    const inList = issues.filter(({ path }) => path.startsWith('sessions[].'));
    expect(inList.length).toBeGreaterThan(0);
    expect(inList[0]!.samplePath).toMatch(/^sessions\[\d\]\./);
    expect(JSON.stringify(issues)).not.toContain(secret);
  });

  test('a refusal of the whole request has its word and no path', async () => {
    const { id, key, viewer } = await newApplication();
    const signed = { 'X-Signature': 'no signature', 'X-Nonce': 'n', 'X-Timestamp': '1' };
    expect((await post(key.public, {}, { path: session, ...signed })).status).toBe(403);
    expect((await post(key.public, 'x'.repeat(9_000_000))).status).toBe(413);
    expect((await post(key.public, '', { path: session, 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await post(key.public, '{"a"')).status).toBe(422);
    await service.deps.issues.flush();
    const issues = await issuesOf(viewer, id);
    const found = issues.map(({ operation, status, reason, path }) => [operation, status, reason, path]);
    expect(found.sort()).toEqual([
      ['reportSessions', 403, 'signature_malformed', ''],
      ['reportSessions', 415, 'media_type', ''],
      ['reportStoreTransactions', 413, 'bytes', ''],
      ['reportStoreTransactions', 422, 'json', ''],
    ]);
  });

  test('an accepted request, an unknown key and a failure of the service are not counted', async () => {
    const { id, key, viewer } = await newApplication();
    const response = await fetch(`${service.url}/api/v1/campaigns`, { headers: { 'X-Api-Key': key.public } });
    expect(response.status).toBe(200);
    await service.deps.issues.flush();
    expect(await issuesOf(viewer, id)).toEqual([]);
  });

  test('several processes add up, and a line keeps its first sample', async () => {
    const { id, viewer } = await newApplication();
    // Both of one day, also in the first minute after midnight.
    const noon = new Date().setUTCHours(12, 0, 0, 0);
    const [early, late] = [new Date(noon - 60_000), new Date(noon)];
    const fault = { status: 422, reason: 'required', message: 'is required' };
    const [one, other] = [newProcess(), newProcess()];
    one.note(refused(id, { at: early, faults: [3, 4].map((index) => ({ ...fault, path: `sessions[${index}].id` })) }));
    other.note(refused(id, { at: late, faults: [{ ...fault, path: 'sessions[9].id' }] }));
    other.note(refused(id, { at: late, sdkVersion: 5_003 }));
    await one.stop();
    await other.stop();
    const issues = await issuesOf(viewer, id);
    expect(issues.map(({ sdkVersion, count }) => ({ sdkVersion, count })).sort((a, b) => a.count - b.count)).toEqual([
      { sdkVersion: 5_003, count: 1 },
      { sdkVersion: 5_002, count: 2 },
    ]);
    expect(issues.find(({ count }) => count === 2)).toMatchObject({
      ...{ path: 'sessions[].id', samplePath: 'sessions[3].id', sampleMessage: 'is required' },
      ...{ firstAt: early.toISOString(), lastAt: late.toISOString() },
    });
  });

  test('the day is that of the application', async () => {
    const { id, viewer } = await newApplication('Pacific/Kiritimati');
    const counts = newProcess();
    const today = new Date().toISOString().slice(0, 10);
    counts.note(refused(id, { at: new Date(`${today}T09:59:00Z`) }));
    counts.note(refused(id, { at: new Date(`${today}T10:00:00Z`) }));
    await counts.stop();
    const days = (await issuesOf(viewer, id)).map(({ day }) => day);
    const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
    expect(days).toEqual([tomorrow, today]);
  });

  test('a day has 200 lines and one for all others, from one process or from two', async () => {
    const { id, viewer } = await newApplication();
    const fault = { status: 422, reason: 'type', message: 'must be string' };
    const at = new Date();
    for (const name of ['a', 'b']) {
      const counts = newProcess();
      for (let index = 0; index < 150; index += 1) {
        counts.note(refused(id, { at, faults: [{ ...fault, path: `device.${name}${index}` }] }));
      }
      await counts.stop();
    }
    const many = newProcess();
    for (let index = 0; index < 300; index += 1) {
      many.note(refused(id, { at, faults: [{ ...fault, path: `device.c${index}` }] }));
    }
    many.note(refused(id, { at, faults: [{ ...fault, path: 'device.a0' }] }));
    await many.stop();
    const { rows } = await service.database.pool.query<{ line: string; count: string }>(
      `SELECT CASE line WHEN 'other' THEN 'other' ELSE 'own' END AS line, count(*) AS lines, sum(count) AS count
     FROM ingest_issues WHERE application_id = $1 GROUP BY 1 ORDER BY 1`,
      [id],
    );
    expect(rows).toEqual([
      { line: 'other', lines: '1', count: '401' },
      { line: 'own', lines: '200', count: '200' },
    ]);
    const other = (await issuesOf(viewer, id)).find(({ reason }) => reason === 'other');
    expect(other).toMatchObject({ operation: 'other', status: 0, path: '', sdkVersion: null, count: 401 });
  });

  test('pages go on where the page before ended', async () => {
    const { id, viewer } = await newApplication();
    const counts = newProcess();
    const at = new Date();
    const fault = { status: 422, reason: 'type', message: 'must be string' };
    counts.note(refused(id, { at, faults: [1, 2, 3, 4, 5].map((index) => ({ ...fault, path: `f${index}` })) }));
    await counts.stop();
    const day = at.toISOString().slice(0, 10);
    const found: string[] = [];
    let after: string | null = null;
    for (let more = true; more;) {
      const { data } = await viewer.ask(
        `query P($after: String) { ingestIssues(applicationId: "${id}", from: "${day}", to: "${day}", limit: 2, after: $after) { nodes { path } endCursor hasMore } }`,
        { after },
      );
      const { ingestIssues: page } = data as {
        ingestIssues: { nodes: { path: string }[]; endCursor: string; hasMore: boolean };
      };
      found.push(...page.nodes.map(({ path }) => path));
      [after, more] = [page.endCursor, page.hasMore];
    }
    expect(found.sort()).toEqual(['f1', 'f2', 'f3', 'f4', 'f5']);
  });

  test('old lines go, and those of a deleted application', async () => {
    const { id, viewer } = await newApplication();
    const counts = newProcess();
    counts.note(refused(id));
    counts.note(refused(id, { at: new Date(Date.now() - 93 * 86_400_000) }));
    counts.note(refused(randomUUID()));
    await counts.stop();
    const daysOf = async () =>
      (await service.database.pool.query('SELECT day FROM ingest_issues WHERE application_id = $1', [id])).rowCount;
    expect(await daysOf()).toBe(2);
    await deleteOldIssues(service.database.pool);
    expect(await daysOf()).toBe(1);
    expect(await issuesOf(viewer, id)).toHaveLength(1);
    await removeIssues(service.database.pool, id);
    expect(await daysOf()).toBe(0);
  });

  test('counts that could not be stored are stored with the next ones', async () => {
    const id = randomUUID();
    const saved: CountedIssue[][] = [];
    let fails = true;
    const save = async (issues: CountedIssue[]): Promise<void> => {
      if (fails) throw new Error('away');
      saved.push(issues);
    };
    const counts = createIssueCounts({ save, log: createLog('silent') });
    counts.note(refused(id));
    await counts.flush();
    counts.note(refused(id));
    fails = false;
    await counts.stop();
    expect(saved.map((issues) => issues.map(({ count }) => count))).toEqual([[2]]);
  });
});
