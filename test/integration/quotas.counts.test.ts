// What a request uses of its quota: only what it has added, near to what the tables grow by; and several processes together.
import { randomUUID } from 'node:crypto';
import { composeDeps } from '../../src/compose/composeDeps.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import type { BoundOperation } from '../../src/quotas/quota.ts';
import type { Admission, Counted, Quotas } from '../../src/quotas/quotas.ts';
import { deleteOldUses, findHours, findStandings } from '../../src/quotas/quotasStore.ts';
import { awayFromTurn } from '../support/awayFromTurn.ts';
import { testOnOneNode } from '../support/citusCluster.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, anEvent, aReport, aSession, signedHeaders } from '../support/uploads.ts';

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
