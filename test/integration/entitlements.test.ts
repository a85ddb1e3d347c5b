// query entitlements: pages by cursor, newest first, and what each filter holds.
import { randomUUID } from 'node:crypto';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { writeCursor } from '../../src/purchases/pageCursor.ts';
import { askPage, listQuery, walkPages } from '../support/cursorPages.ts';
import { storeHolder, storeLine } from '../support/storedLines.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
let applicationId: string;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  const application = await service.newApplication();
  applicationId = application.id;
  viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
});
afterAll(() => service.stop());

const list = 'entitlements' as const;
const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const line = (lineId: string, more: Parameters<typeof storeLine>[2] = {}) =>
  storeLine(service, applicationId, { lineId, ...more });

test('pages hold every line once, newest first, while lines are added before and behind', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  // Two lines for each instant.
  for (const [index, id] of ids.entries()) await line(id, { purchasedAt: day(10 + Math.floor(index / 2)) });
  let added = 0;
  const between = async () => {
    added += 1;
    await line(`new ${added}`, { purchasedAt: day(20) });
    await line(`old ${added}`, { purchasedAt: day(1) });
  };
  const found = await walkPages(viewer, { list, applicationId, limit: 3 }, between);
  expect(found.filter((id) => ids.includes(id))).toEqual(ids.toReversed());
  expect(new Set(found).size).toBe(found.length);
  expect(found).toContain('old 1');
});

test('the last page that is full says that there is no more, and an empty page has no cursor', async () => {
  await line('a');
  const page = await askPage(viewer, list, { applicationId, limit: 1 });
  expect(page).toMatchObject({ nodes: [{ id: 'a' }], hasMore: false });
  const next = await askPage(viewer, list, { applicationId, limit: 1, after: page.endCursor });
  expect(next).toEqual({ nodes: [], endCursor: null, hasMore: false });
});

test('an external id holds what devices hold that named it, and what it owns', async () => {
  await line('held');
  await storeHolder(service, applicationId, { lineId: 'held', device: 'phone', externalId: 'ann' });
  await line('of nobody');
  await storeHolder(service, applicationId, { lineId: 'of nobody', device: 'phone', externalId: '' });
  await line('of an account', { accountToken: 'bob', ownerExternalId: 'bob' });
  const token = 'AA8E92D0-30F2-4B25-8B5E-2D3E7B8D9C01';
  await line('of the store’s witness', { accountToken: token.toLowerCase(), ownerExternalId: token.toLowerCase() });
  await line('the same words', { ownerExternalId: token.toLowerCase() });
  const same = { lineId: 'the same words', device: 'other', externalId: token.toLowerCase() };
  await storeHolder(service, applicationId, same);
  const of = (filter: { externalId?: string; deviceId?: string }) =>
    walkPages(viewer, { list, applicationId, ...filter });
  expect(await of({ externalId: 'ann' })).toEqual(['held']);
  expect(await of({ externalId: 'Ann' })).toEqual([]);
  expect(await of({ externalId: 'BOB' })).toEqual([]);
  expect(await of({ externalId: 'bob' })).toEqual(['of an account']);
  expect(await of({ externalId: token })).toEqual(['of the store’s witness']);
  expect((await of({ externalId: token.toLowerCase() })).sort()).toEqual(['of the store’s witness', 'the same words']);
  expect((await of({ deviceId: 'phone' })).sort()).toEqual(['held', 'of nobody']);
  expect(await of({ deviceId: 'phone', externalId: 'bob' })).toEqual([]);
  expect(await of({ deviceId: 'phone', externalId: 'ann' })).toEqual(['held']);
});

test('a customer and a device with more than 20,000 lines have the same pages', async () => {
  const lines = `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, signed_at)
    SELECT 'l' || n, $1, 'pro', 'NON_CONSUMABLE', 'PRODUCTION', now() - n * interval '1 minute', now()
    FROM generate_series(1, 20020) n`;
  const holders = `INSERT INTO store_holders (line_id, application_id, held_by, external_id)
    SELECT 'l' || n, $1, $2, 'unknown' FROM generate_series(1, 20020) n WHERE n % 2002 <> 1`;
  const { pool } = service.database;
  await pool.query(lines, [applicationId]);
  await pool.query(holders, [applicationId, deviceKey(applicationId, 'phone')]);
  await pool.query(holders.replace('<> 1', '= 0').replace("'unknown'", "'some'"), [applicationId, randomUUID()]);
  const filters: Record<string, string | boolean>[] = [
    { externalId: 'unknown' },
    { deviceId: 'phone' },
    { externalId: 'unknown', active: true },
  ];
  for (const filter of filters) {
    const { nodes } = await askPage(viewer, list, { applicationId, limit: 3, ...filter });
    expect(nodes.map(({ id }) => id)).toEqual(['l2', 'l3', 'l4']);
  }
  expect(await walkPages(viewer, { list, applicationId, externalId: 'some' })).toHaveLength(10);
});

test.each([
  ['limit', { limit: 0 }],
  ['limit', { limit: 201 }],
  ['externalId', { externalId: '' }],
  ['externalId', { externalId: 'x'.repeat(257) }],
  ['deviceId', { deviceId: '' }],
  ['deviceId', { deviceId: 'x'.repeat(257) }],
  ['after', { after: '' }],
  ['after', { after: '7' }],
  ['after', { after: 'x'.repeat(3_000) }],
  ['after', { after: writeCursor({ list: 'storeTransactions', instants: 2 }, '0 0 id') }],
])('a wrong %s is refused (%#)', async (path, args) => {
  const { errors } = await viewer.ask(listQuery(list, ['applicationId', path]), { applicationId, ...args });
  expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path }] });
});

test('an unknown application is not found', async () => {
  const { codes } = await viewer.ask(listQuery(list, ['applicationId']), { applicationId: randomUUID() });
  expect(codes).toEqual(['NOT_FOUND']);
});
