// ApiKey.lastUsed: which requests count as a use; the time is written off the hot path, never decreases, and is written at the latest on a drain.
import { saveKeyUses } from '../../src/workspace/applicationsStore.ts';
import { holdLock } from '../support/heldLock.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { aDevice, aReport, json, signedHeaders } from '../support/uploads.ts';

let service: TestService;
let application: TestApplication;
let now = new Date('2026-09-10T00:26:40Z');
beforeAll(async () => {
  service = await startTestService({ now: () => now });
});
beforeEach(async () => {
  application = await service.newApplication();
});
afterAll(() => service.stop());

const lastUsed = async ({ key } = application) =>
  (await service.database.prisma.apiKey.findUniqueOrThrow({ where: { public: key.public } })).lastUsed;
const send = (operation: string, body: unknown, headers: Record<string, string> = {}) =>
  service.client.send(operation, { 'X-Api-Key': application.key.public, ...headers }, body);
const attribution = { device: aDevice(), system: { os_version: '18' }, attribution: {} };
const sendSigned = (report = aReport(), secret = application.key.secret) =>
  send('reportSessions', json(report), signed(report, secret));
const signed = (report: unknown, secret: string) =>
  signedHeaders({ ...application.key, secret }, json(report), { timestamp: now.getTime() / 1_000 });

test.each<[string, number, () => Promise<{ status: number }>]>([
  ['an upload of sessions', 200, () => send('reportSessions', aReport())],
  ['a signed one', 200, () => sendSigned()],
  ['one whose body is wrong', 422, () => send('reportSessions', {})],
  ['attribution', 200, () => send('reportAttribution', attribution)],
  ['transactions', 200, () => send('reportStoreTransactions', { device: aDevice(), transactions: [{ id: '1' }] })],
  ['a fetch of campaigns', 200, () => service.client.get('getCampaigns', { 'X-Api-Key': application.key.public })],
])('%s is a use', async (_, status, request) => {
  expect((await request()).status).toBe(status);
  await service.deps.keyUses.stop();
  expect(await lastUsed()).toEqual(now);
});

test('what bears the key without its right is none', async () => {
  const report = aReport();
  expect((await sendSigned(report, 'sec_another')).status).toBe(403);
  const stale = { 'X-Api-Key': application.key.public.toLowerCase() };
  expect((await send('reportSessions', report, stale)).status).toBe(404);
  await service.deps.keyUses.stop();
  expect(await lastUsed()).toBeNull();
  expect((await sendSigned(report)).status).toBe(200);
  await service.deps.keyUses.stop();
  expect(await lastUsed()).toEqual(now);
});

test('a request writes nothing of it, and all keys are written in one statement', async () => {
  const other = await service.newApplication();
  const statements = await statementsOf(async () => {
    await send('reportSessions', aReport());
    await send('reportSessions', aReport(), { 'X-Api-Key': other.key.public });
  });
  expect(statements.filter((text) => text.includes('last_used'))).toEqual([]);
  const writing = await statementsOf(() => service.deps.keyUses.stop());
  expect(writing.filter((text) => text.includes('last_used'))).toHaveLength(1);
  expect([await lastUsed(), await lastUsed(other)]).toEqual([now, now]);
});

test('an older use, of another process say, does not set it back', async () => {
  const { pool } = service.database;
  const publicKey = application.key.public;
  await saveKeyUses(pool, [{ publicKey, at: now }]);
  await saveKeyUses(pool, [{ publicKey, at: new Date(now.getTime() - 1_000) }]);
  expect(await lastUsed()).toEqual(now);
  now = new Date(now.getTime() + 1_000);
  await saveKeyUses(pool, [
    { publicKey, at: now },
    { publicKey: 'pub_gone', at: now },
  ]);
  expect(await lastUsed()).toEqual(now);
});

test('many processes write at once without a deadlock', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => service.newApplication()));
  const uses = keys.map(({ key }) => ({ publicKey: key.public, at: now }));
  const orders = Array.from({ length: 20 }, (_, turn) => [...uses.slice(turn), ...uses.slice(0, turn)]);
  await Promise.all(orders.map((order) => saveKeyUses(service.database.pool, order)));
  expect(await lastUsed(keys[0])).toEqual(now);
});

test('keys are locked in the order of their ids, so that two processes never wait for each other in a circle', async () => {
  const { pool, prisma } = service.database;
  const keys = await prisma.apiKey.findMany({ orderBy: { id: 'asc' }, take: 2 });
  const [first, last] = keys.map(({ id }) => id) as [string, string];
  const row = 'SELECT FROM api_keys WHERE id = $1 FOR UPDATE';
  for (const order of [keys, [...keys].reverse()]) {
    const held = await holdLock(pool, row, first);
    const uses = order.map((key) => ({ publicKey: key.public, at: now }));
    const saving = saveKeyUses(pool, uses);
    await held.waiting(1);
    const lastIsFree = await pool.query(`${row} SKIP LOCKED`, [last]);
    await held.release();
    await saving;
    expect(lastIsFree.rowCount).toBe(1);
  }
});

test('a database that cannot write it costs no request its answer', async () => {
  const { pool } = service.database;
  await pool.query('ALTER TABLE api_keys RENAME COLUMN last_used TO last_seen');
  expect((await send('reportSessions', aReport())).status).toBe(200);
  await service.deps.keyUses.stop();
  await pool.query('ALTER TABLE api_keys RENAME COLUMN last_seen TO last_used');
  await service.deps.keyUses.stop();
  expect(await lastUsed()).toEqual(now);
});
