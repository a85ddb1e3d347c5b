// Quotas: what a stranger with the public key alone can store, and what signed uploads and known devices notice of it.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createLog } from '../../src/platform/observability/log.ts';
import { findHours, type HourOfQuota } from '../../src/quotas/quotasStore.ts';
import { awayFromTurn } from '../support/awayFromTurn.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession, signedHeaders } from '../support/uploads.ts';

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
  const told = lines.map((line) => JSON.parse(line) as { msg: string }).filter(({ msg }) => msg.startsWith('a quota'));
  expect(told).toMatchObject([facts]);
});

test('bodies that arrive together store no more than bodies one after the other', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => attribute(attribution())));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
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
    const answers = [];
    for (let index = 0; index < 20; index += 1) answers.push(await send(randomUUID()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expectPause(answers.at(-1)!);
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
