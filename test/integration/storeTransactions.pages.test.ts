// query storeTransactions: over drawn rows, the pages of every filter are those of a model, by whichever of the two ways they are found; and indexes serve them.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { entitlementPage } from '../../src/purchases/entitlementPageStore.ts';
import { readCursor, writeCursor, type Place } from '../../src/purchases/pageCursor.ts';
import { transactionPage, type TransactionSearch } from '../../src/purchases/storeTransactionPageStore.ts';
import { inputRules } from '../../src/platform/inputRules.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
