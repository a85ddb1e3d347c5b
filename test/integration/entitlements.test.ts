// The queries of entitlements, transactions and products.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Prisma } from '../../generated/prisma/client.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { inputRules } from '../../src/platform/inputRules.ts';
import { type Entitlement, isActive, withDuration } from '../../src/purchases/entitlement.ts';
import { entitlementPage, findEntitlementPage } from '../../src/purchases/entitlements.ts';
import { type Place, readCursor, writeCursor } from '../../src/purchases/lists.ts';
import { transactionPage, type TransactionSearch } from '../../src/purchases/storeTransactions.ts';
import { auditLines, lastLine } from '../support/auditLines.ts';
import { askPage, listQuery, walkPages } from '../support/cursorPages.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { type PurchaseTest, settled, startPurchaseTest, transactionsOf, upload } from '../support/purchases.ts';
import { storeHolder, storeLine, storeTransaction } from '../support/storedLines.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// query entitlements: pages by cursor, newest first, and what each filter holds.
describe('entitlements', () => {
  let service: TestService;
  let viewer: TestUser;
  let applicationId: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });
  beforeEach(async () => {
    const application = await service.newApplication();
    applicationId = application.id;
    viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
  });

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
    expect((await of({ externalId: token.toLowerCase() })).sort()).toEqual([
      'of the store’s witness',
      'the same words',
    ]);
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
});

// query entitlements: the filter `active` is the field `active`, over lines drawn from all states and from the instants around their ends.
describe('entitlements: active', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const now = new Date('2026-09-10T00:00:00Z');
  const around = (...offsets: number[]) =>
    fc.constantFrom(...offsets.flatMap((at) => [at - 1, at, at + 1])).map((millis) => new Date(now.getTime() + millis));

  /** The products, with the days that they last. */
  const products: Record<string, number | null> = { none: null, 'a day': 1, 'a season': 30 };

  const kinds: Entitlement['kind'][] = [
    'CONSUMABLE',
    'NON_CONSUMABLE',
    'AUTO_RENEWABLE',
    'AUTO_RENEWABLE',
    'NON_RENEWING',
  ];

  /** Only a subscription has a grace. */
  const drawn = fc
    .record({
      kind: fc.constantFrom(...kinds),
      productId: fc.constantFrom(...Object.keys(products)),
      purchasedAt: around(-30 * day, -day, 0),
      expiresAt: fc.option(around(-2 * hour, -hour, 0, hour), { freq: 3 }),
      graceExpiresAt: fc.option(around(-hour, 0, hour), { freq: 2 }),
      inBillingRetry: fc.boolean(),
      ended: fc.constantFrom(false, false, false, true),
      revokedAt: fc.constantFrom(null, null, null, null, now),
      autoRenew: fc.constantFrom(true, true, false, null),
      lookedUpAt: fc.option(around(-2 * hour, -hour, 60_000 - hour, -minute, 0, minute), { freq: 4 }),
    })
    .map((line) => (line.kind === 'AUTO_RENEWABLE' ? line : { ...line, graceExpiresAt: null }));

  type Drawn = typeof drawn extends fc.Arbitrary<infer Line> ? Line : never;

  /** What the pure functions say. */
  const expected = ({ productId, ...line }: Drawn) =>
    isActive({ ...line, expiresAt: withDuration(line, products[productId]!) }, now);

  test('of 3,000 lines each is found by the value of `active` that it shows, and by no other', async () => {
    const { database, application } = service;
    const applicationId = application.id;
    for (const [productId, durationDays] of Object.entries(products)) {
      await database.prisma.storeProduct.create({ data: { applicationId, productId, durationDays } });
    }
    const lines = fc
      .sample(drawn, { numRuns: 3_000, seed: 7 })
      .map((line, index) => ({ ...line, lineId: `line ${index}` }));
    const stored = { applicationId, environment: 'PRODUCTION', signedAt: now } as const;
    // A statement takes 32,767 values; Prisma would divide a longer one, in a transaction of its own.
    for (const half of [lines.slice(0, 1_500), lines.slice(1_500)])
      await database.prisma.storeEntitlement.createMany({ data: half.map((line) => ({ ...line, ...stored })) });
    const heldBy = randomUUID();
    const holders = lines.map(({ lineId }) => ({ lineId, applicationId, heldBy, externalId: 'ann' }));
    await database.prisma.storeHolder.createMany({ data: holders });
    // As autovacuum does: a plan for tables that PostgreSQL takes to be empty is not looked at here.
    await database.pool.query('ANALYZE store_entitlements, store_holders, store_products');
    const search = { applicationId, externalId: null, heldBy: null, after: null, now, limit: 5_000 };
    const shown = await findEntitlementPage(database.pool, { ...search, active: null });
    const said = new Map(lines.map((line) => [line.lineId, expected(line)]));
    expect(shown.map(({ id, active }) => [id, active]).sort()).toEqual([...said].sort());
    for (const active of [true, false]) {
      const fitting = shown.filter(({ id }) => said.get(id) === active).map(({ id }) => id);
      expect(fitting.length).toBeGreaterThan(500);
      for (const filter of [{}, { externalId: 'ann' }, { heldBy }, { externalId: 'ann', heldBy }]) {
        for (const few of [true, false]) {
          const statement = entitlementPage({ ...search, ...filter, active }, few);
          const { rows } = await database.pool.query<{ id: string }>(statement);
          expect(rows.map(({ id }) => id)).toEqual(fitting);
        }
      }
    }
  });
});

// The SQL of a device's transactions and entitlements: their order.
describe('entitlementsStore', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  test('transactions of a device that arrived at one moment come in the order of their ids', async () => {
    const device = randomUUID();
    const ids = Array.from({ length: 20 }, (_, index) => `t${String(index).padStart(2, '0')}`);
    for (const id of [...ids].reverse()) await upload(service, [id], { device });
    await service.database.pool.query(`UPDATE store_transactions SET received_at = '2020-09-10T00:00:00Z'`);
    await upload(service, ['a', 'z'], { device });
    expect((await transactionsOf(service, device)).map(({ id }) => id)).toEqual(['a', 'z', ...ids]);
  });
});

// query storeTransactions: pages by cursor, newest first, and what each filter holds.
describe('storeTransactions', () => {
  let service: TestService;
  let application: TestService['application'];
  let viewer: TestUser;
  let applicationId: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });
  beforeEach(async () => {
    application = await service.newApplication();
    applicationId = application.id;
    viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
  });

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
});

// query storeTransactions: over drawn rows, the pages of every filter are those of a model, by whichever of the two ways they are found; and indexes serve them.
describe('storeTransactions: pages', () => {
  let service: TestService;
  let applicationId: string;
  beforeAll(async () => {
    service = await startTestService();
    applicationId = service.application.id;
  });
  afterAll(() => service.stop());

  const day = (n: number) => new Date(Date.UTC(2026, 0, n));
  const heldBy = randomUUID();
  const instant = fc.integer({ min: 1, max: 4 }).map(day);

  /** Few instants, so that many are equal; each row is resolved or waits. */
  const drawn = fc.record({
    purchasedAt: fc.option(instant, { freq: 4 }),
    receivedAt: instant,
    productId: fc.constantFrom('pro', 'plus'),
    waiting: fc.constantFrom('PENDING' as const, 'NOT_FOUND' as const),
    uploadedByAnn: fc.boolean(),
    uploadedByPhone: fc.boolean(),
    line: fc.constantFrom('of ann', 'of the phone', 'of nobody'),
  });

  async function store(count: number) {
    const { prisma } = service.database;
    const rows = fc.sample(drawn, { numRuns: count, seed: 11 }).map((row, index) => {
      const resolved = row.purchasedAt !== null;
      const id = `t${String(index).padStart(4, '0')}`;
      const state = resolved ? ('RESOLVED' as const) : row.waiting;
      return { ...row, id, state, productId: resolved ? row.productId : null, lineId: resolved ? row.line : null };
    });
    await prisma.storeTransaction.createMany({
      data: rows.map(({ id, state, productId, lineId, purchasedAt, receivedAt }) => {
        return { id, applicationId, state, productId, lineId, purchasedAt, receivedAt };
      }),
    });
    const ids = (uploaded: 'uploadedByAnn' | 'uploadedByPhone') =>
      rows.filter((row) => row[uploaded]).map(({ id }) => id);
    await prisma.storeClaim.createMany({
      data: ids('uploadedByAnn').map((transactionId) => {
        return {
          transactionId,
          applicationId,
          uploadedBy: randomUUID(),
          externalId: 'ann',
          deviceId: 'd',
          arrivals: [day(1)],
        };
      }),
    });
    await prisma.storeTransactionDevice.createMany({
      data: ids('uploadedByPhone').map((transactionId) => ({
        deviceKey: heldBy,
        transactionId,
        applicationId,
        deviceId: 'd',
      })),
    });
    const holder = (lineId: string, device: string, externalId: string) => ({
      lineId,
      applicationId,
      heldBy: device,
      externalId,
    });
    const holders = [holder('of ann', randomUUID(), 'ann'), holder('of the phone', heldBy, '')];
    await prisma.storeHolder.createMany({ data: holders });
    return rows;
  }

  type Row = Awaited<ReturnType<typeof store>>[number];

  const everything = { state: null, productId: null, externalId: null, heldBy: null, from: null, to: null };
  type Filters = Omit<TransactionSearch, 'applicationId' | 'after' | 'limit'>;

  function fits(row: Row, { state, productId, externalId, heldBy: device, from, to }: Filters): boolean {
    const { purchasedAt } = row;
    return (
      (state === null || row.state === state) &&
      (productId === null || row.productId === productId) &&
      (externalId === null || row.uploadedByAnn || row.lineId === 'of ann') &&
      (device === null || row.uploadedByPhone || row.lineId === 'of the phone') &&
      ((from === null && to === null) || purchasedAt !== null) &&
      (from === null || purchasedAt! >= from) &&
      (to === null || purchasedAt! < to)
    );
  }

  const keyOf = ({ purchasedAt, receivedAt, id }: Row) =>
    [purchasedAt?.getTime() ?? Infinity, receivedAt.getTime(), id] as const;

  function newestFirst(one: Row, other: Row): number {
    const [a, b] = [keyOf(one), keyOf(other)];
    const at = a.findIndex((part, index) => part !== b[index]);
    return at < 0 ? 0 : a[at]! > b[at]! ? -1 : 1;
  }

  async function walk(filters: Filters, few: boolean, limit: number): Promise<string[]> {
    const found: string[] = [];
    let after: Place | null = null;
    for (;;) {
      const page: Page = await service.database.pool.query(
        transactionPage({ ...filters, applicationId, after, limit }, few),
      );
      found.push(...page.rows.map(({ id }) => id));
      if (page.rows.length < limit) return found;
      const of = { list: 'storeTransactions', instants: 2 } as const;
      after = readCursor(inputRules(), of, writeCursor(of, page.rows.at(-1)!.position));
    }
  }

  interface Page {
    rows: { id: string; position: string }[];
  }

  test('the pages of every filter hold each fitting row once, in the order of the list', async () => {
    const rows = await store(400);
    const filters = fc.record({
      state: fc.constantFrom(null, null, 'RESOLVED' as const, 'PENDING' as const),
      productId: fc.constantFrom(null, null, 'pro'),
      externalId: fc.constantFrom(null, 'ann'),
      heldBy: fc.constantFrom(null, heldBy),
      from: fc.option(instant, { freq: 2 }),
      to: fc.option(instant, { freq: 2 }),
    });
    for (const filter of [everything, ...fc.sample(filters, { numRuns: 60, seed: 3 })]) {
      const expected = rows
        .filter((row) => fits(row, filter))
        .sort(newestFirst)
        .map(({ id }) => id);
      for (const few of [true, false])
        expect([filter, few, await walk(filter, few, 37)]).toEqual([filter, few, expected]);
    }
  });

  /** The plan, where PostgreSQL takes an index if there is one that serves: a small table is read whole otherwise. */
  async function planOf({ sql, values }: ReturnType<typeof transactionPage>): Promise<string> {
    const client = await service.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off',
      );
      let place = 0;
      const text = sql.replaceAll('?', () => `$${(place += 1)}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values });
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  const place = { instants: [day(2).toISOString(), day(2).toISOString()], id: 'x' };
  test.each([
    [{}, 'store_transactions_page_idx'],
    [{ after: place }, 'store_transactions_page_idx'],
    [{ from: day(1), to: day(3) }, 'store_transactions_page_idx'],
    [{ state: 'FAILED' as const, after: place }, 'store_transactions_state_page_idx'],
    [{ productId: 'pro', after: place }, 'store_transactions_product_page_idx'],
  ])('of %j an index serves each page', async (filter, index) => {
    const plan = await planOf(
      transactionPage({ ...everything, applicationId, after: null, limit: 101, ...filter }, true),
    );
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan on store_transactions/);
  });

  test.each([[null], [true], [false]])('an index serves each page of entitlements with active %j', async (active) => {
    const search = { applicationId, externalId: null, heldBy: null, active, after: place, now: day(1), limit: 101 };
    const plan = await planOf(entitlementPage(search, true));
    expect(plan).toMatch(/Backward using store_entitlements_page_idx/);
    // The ends of lines are in the index, so that lines that do not fit are not read.
    expect(/Index Cond: .*AND \(CASE WHEN/.test(plan)).toBe(active !== null);
    expect(plan.includes('store_entitlements_duration_idx')).toBe(active !== null);
  });
});

// query products: what the store has told of, and what an admin has named.
describe('products', () => {
  let purchases: PurchaseTest;
  beforeAll(async () => {
    purchases = await startPurchaseTest();
  });
  afterAll(() => purchases.stop());

  const query = 'query P($id: UUID!) { products(applicationId: $id) { productId kind durationDays } }';

  test('lists the products in the order of their ids, with the kind that the store gives', async () => {
    const { service, store } = purchases;
    const { id } = service.application;
    const admin = await newUser(service, await organizationOf(service, id), 'admin');
    expect((await admin.ask(query, { id })).data!['products']).toEqual([]);
    for (const [productId, kind] of [['season', 'NON_RENEWING'] as const, ['coins', 'CONSUMABLE'] as const]) {
      const transactionId = randomUUID();
      store.sell(aPurchase({ transactionId, productId, kind }));
      await upload(service, [transactionId]);
      await settled(service, transactionId, ['RESOLVED']);
    }
    const input = { applicationId: id, productId: 'pass', durationDays: 30 };
    await admin.ask('mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId } }', { input });
    const viewer = await newUser(service, admin.organizationId, 'viewer');
    expect((await viewer.ask(query, { id })).data!['products']).toEqual([
      { productId: 'coins', kind: 'CONSUMABLE', durationDays: null },
      { productId: 'pass', kind: null, durationDays: 30 },
      { productId: 'season', kind: 'NON_RENEWING', durationDays: null },
    ]);
  });

  test('of another organization there is none', async () => {
    const stranger = await newUser(purchases.service, await newOrganization(purchases.service));
    const { errors } = await stranger.ask(query, { id: purchases.service.application.id });
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});

// mutation productEdit: the duration of a product to which the store gives no end. purchases.test.ts has its effect.
describe('productEdit', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await startTestService();
    admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  });
  afterAll(() => service.stop());

  async function edit(fields: Record<string, unknown>, user = admin) {
    const query =
      'mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId kind durationDays } }';
    const input = { applicationId: service.application.id, productId: 'pass', ...fields };
    const { data, errors } = await user.ask(query, { input });
    return data?.['productEdit'] ?? errors;
  }

  test('sets, keeps and clears the duration, and the audit log has each change', async () => {
    const since = await lastLine(service);
    const pass = { productId: 'pass', kind: null };
    expect(await edit({})).toEqual({ ...pass, durationDays: null });
    expect(await service.database.prisma.storeProduct.count()).toBe(0);
    expect(await edit({ durationDays: 30 })).toEqual({ ...pass, durationDays: 30 });
    expect(await edit({})).toEqual({ ...pass, durationDays: 30 });
    expect(await edit({ durationDays: 30 })).toEqual({ ...pass, durationDays: 30 });
    expect(await edit({ durationDays: null })).toEqual({ ...pass, durationDays: null });
    const lines = await auditLines(service, admin.organizationId, since);
    const about = { action: 'productEdit', objectType: 'product', objectId: 'pass' };
    const applicationId = service.application.id;
    expect(
      lines.map(({ action, objectType, objectId, details }) => ({ action, objectType, objectId, details })),
    ).toEqual([
      { ...about, details: { applicationId, durationDays: { from: null, to: 30 } } },
      { ...about, details: { applicationId, durationDays: { from: 30, to: null } } },
    ]);
  });

  test.each([0, -1, 36_501])('refuses a duration of %d days', async (durationDays) => {
    const fields = [{ path: 'input.durationDays', message: 'must be a whole number from 1 to 36500' }];
    expect(await edit({ durationDays })).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', fields } }]);
  });

  test.each(['', ' ', 'x'.repeat(257)])('refuses %j as a product', async (productId) => {
    const fields = [{ path: 'input.productId' }];
    expect(await edit({ productId })).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', fields } }]);
  });

  test('is not there for another organization', async () => {
    const stranger = await newUser(service, await newOrganization(service));
    expect(await edit({ durationDays: 30 }, stranger)).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});
