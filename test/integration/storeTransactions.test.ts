// query storeTransactions: pages by cursor, newest first, and what each filter holds.
import { randomUUID } from 'node:crypto';
import type { Prisma } from '../../generated/prisma/client.ts';
import { writeCursor } from '../../src/purchases/pageCursor.ts';
import { askPage, listQuery, walkPages } from '../support/cursorPages.ts';
import { upload } from '../support/purchases.ts';
import { storeHolder, storeLine, storeTransaction } from '../support/storedLines.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let application: TestService['application'];
let viewer: TestUser;
let applicationId: string;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  application = await service.newApplication();
  applicationId = application.id;
  viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
});
afterAll(() => service.stop());

const list = 'storeTransactions' as const;
const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const pending = (id: string, fields: Partial<Prisma.StoreTransactionCreateManyInput> = {}) =>
  storeTransaction(service, applicationId, { id, ...fields });
const sold = (id: string, purchasedAt: Date, fields: Partial<Prisma.StoreTransactionCreateManyInput> = {}) =>
  pending(id, { state: 'RESOLVED', productId: 'pro', kind: 'CONSUMABLE', lineId: id, purchasedAt, ...fields });
const all = (filters: Record<string, string | number> = {}) => walkPages(viewer, { list, applicationId, ...filters });

test('pages hold every transaction once, newest first, while transactions are added everywhere', async () => {
  const receivedAt = day(1);
  for (const id of ['p1', 'p2', 'p3']) await pending(id, { receivedAt });
  for (const [index, id] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
    await sold(id, day(10 + Math.floor(index / 3)), { receivedAt });
  }
  const expected = ['p3', 'p2', 'p1', 'f', 'e', 'd', 'c', 'b', 'a'];
  let added = 0;
  const between = async () => {
    added += 1;
    await pending(`waits ${added}`);
    await sold(`new ${added}`, day(20));
    await sold(`middle ${added}`, day(10), { receivedAt });
    await sold(`old ${added}`, day(2));
  };
  const found = await walkPages(viewer, { list, applicationId, limit: 2 }, between);
  expect(found.filter((id) => expected.includes(id))).toEqual(expected);
  expect(new Set(found).size).toBe(found.length);
  expect(found).toContain('old 1');
});

test('of two transactions with one purchasedAt the one that arrived later comes first, to the microsecond', async () => {
  for (const id of ['a', 'b', 'c']) await sold(id, day(3));
  await service.database.pool
    .query(`UPDATE store_transactions SET received_at = '2026-02-01T00:00:00.000001Z'::timestamptz
    + CASE id WHEN 'a' THEN interval '2 microseconds' WHEN 'b' THEN interval '1 microsecond' ELSE interval '0' END`);
  expect(await all({ limit: 1 })).toEqual(['a', 'b', 'c']);
});

test('a transaction that is resolved while pages are read is not missed', async () => {
  for (const id of ['p1', 'p2', 'p3']) await pending(id, { receivedAt: day(Number(id[1])) });
  await sold('a', day(10));
  let done = false;
  const found = await walkPages(viewer, { list, applicationId, limit: 1 }, async () => {
    if (done) return;
    done = true;
    await service.database.prisma.storeTransaction.updateMany({
      where: { applicationId, id: 'p1' },
      data: { state: 'RESOLVED', purchasedAt: day(20) },
    });
  });
  expect(found).toEqual(['p3', 'p2', 'p1', 'a']);
});

test('each filter alone and together', async () => {
  await sold('a', day(10));
  await sold('b', day(11), { productId: 'plus' });
  await sold('c', day(12));
  await pending('p', { state: 'FAILED', reason: 'not_verified' });
  const [eleventh, twelfth] = [day(11).toISOString(), day(12).toISOString()];
  expect(await all({ state: 'FAILED' })).toEqual(['p']);
  expect(await all({ state: 'RESOLVED' })).toEqual(['c', 'b', 'a']);
  expect(await all({ productId: 'pro' })).toEqual(['c', 'a']);
  expect(await all({ productId: 'Pro' })).toEqual([]);
  expect(await all({ from: eleventh })).toEqual(['c', 'b']);
  expect(await all({ to: twelfth })).toEqual(['b', 'a']);
  expect(await all({ from: eleventh, to: twelfth })).toEqual(['b']);
  expect(await all({ from: eleventh, to: twelfth, limit: 1, state: 'RESOLVED', productId: 'plus' })).toEqual(['b']);
  expect(await all({ from: eleventh, to: eleventh })).toEqual([]);
  expect(await all({ state: 'FAILED', productId: 'pro' })).toEqual([]);
  expect(await all({ state: 'FAILED', from: eleventh })).toEqual([]);
});

test('an external id and a device have what was uploaded with them, and the lines that they hold', async () => {
  const own = { ...service, application };
  await upload(own, ['uploaded'], { device: 'phone', externalId: 'ann' });
  await upload(own, ['of bob'], { device: 'tablet', externalId: 'bob' });
  await storeLine(service, applicationId, { lineId: 'line', ownerExternalId: 'ann' });
  await storeHolder(service, applicationId, { lineId: 'line', device: 'phone', externalId: 'ann' });
  await sold('first', day(10), { lineId: 'line' });
  await sold('renewal', day(11), { lineId: 'line' });
  await sold('of nobody', day(12));
  expect(await all({ externalId: 'ann' })).toEqual(['uploaded', 'renewal', 'first']);
  expect(await all({ deviceId: 'phone' })).toEqual(['uploaded', 'renewal', 'first']);
  expect(await all({ externalId: 'bob' })).toEqual(['of bob']);
  expect(await all({ externalId: 'bob', deviceId: 'phone' })).toEqual([]);
  expect(await all({ externalId: 'ann', deviceId: 'phone', state: 'RESOLVED', limit: 1 })).toEqual([
    'renewal',
    'first',
  ]);
});

test('a transaction says nothing of devices that may not hold it', async () => {
  const own = { ...service, application };
  await upload(own, ['t'], { device: 'phone', externalId: 'ann' });
  const data = { state: 'RESOLVED', lineId: 't', purchasedAt: day(10) } as const;
  await service.database.prisma.storeTransaction.updateMany({ where: { applicationId }, data });
  const query = `query T($app: UUID!) { storeTransactions(applicationId: $app, deviceId: "phone") { nodes { id reason } } }`;
  expect((await viewer.ask(query, { app: applicationId })).data).toEqual({
    storeTransactions: { nodes: [{ id: 't', reason: null }] },
  });
});

test('an empty page has no cursor', async () => {
  expect(await askPage(viewer, list, { applicationId })).toEqual({ nodes: [], endCursor: null, hasMore: false });
});

test.each([
  ['limit', { limit: 0 }],
  ['limit', { limit: 201 }],
  ['productId', { productId: '' }],
  ['externalId', { externalId: '' }],
  ['deviceId', { deviceId: 'x'.repeat(257) }],
  ['after', { after: 'dCAxNzg5' }],
  ['after', { after: writeCursor({ list: 'entitlements', instants: 1 }, '0 line') }],
])('a wrong %s is refused (%#)', async (path, args) => {
  const { errors } = await viewer.ask(listQuery(list, ['applicationId', path]), { applicationId, ...args });
  expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path }] });
});

test('an unknown application is not found', async () => {
  const { codes } = await viewer.ask(listQuery(list, ['applicationId']), { applicationId: randomUUID() });
  expect(codes).toEqual(['NOT_FOUND']);
});
