// How long pages of `entitlements` and `storeTransactions` take where an application has a million of each.
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findEntitlementPage, type EntitlementSearch } from '../../src/purchases/entitlements.ts';
import { findTransactionPage, type TransactionSearch } from '../../src/purchases/storeTransactions.ts';
import { startTestService, type TestService } from '../support/testService.ts';

const lines = Number(process.env['LINES'] ?? 1_000_000);
/** A statement has four seconds. */
const atOnce = 20_000;
/** The limit of a statement, which the widest question has to keep. */
const mostMillis = 4_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function seed(statement: string, count = lines): Promise<void> {
  const { application, database } = service;
  const values = [application.id, deviceKey(application.id, 'phone'), deviceKey(application.id, 'big')];
  for (let from = 1; from <= count; from += atOnce) {
    const to = Math.min(count, from + atOnce - 1);
    await database.pool.query({
      text: `WITH t AS (SELECT n, $1::uuid AS app, $2::uuid AS phone, $3::uuid AS big,
          now() - n * interval '1 minute' - interval '400 days' AS at,
          CASE WHEN n % 10 = 0 THEN 'big' WHEN n % 10 = 1 THEN 'customer-' || n / 5 ELSE 'unknown' END AS customer
        FROM generate_series(${from}, ${to}) n) ${statement}`,
      values,
    });
  }
}

/** Half are subscriptions, half products with a duration; all have ended but the five oldest. */
async function seedAll(): Promise<void> {
  const { pool } = service.database;
  await pool.query(`INSERT INTO store_products VALUES ($1, 'season', 'NON_RENEWING', 30)`, [service.application.id]);
  await seed(`INSERT INTO store_transactions (id, application_id, state, line_id, product_id, kind, environment,
      purchased_at, received_at)
    SELECT 't' || n, app, 'RESOLVED', 'l' || n, CASE WHEN n = ${lines} THEN 'rare' WHEN n % 2 = 0 THEN 'season' ELSE 'pro' END,
      'AUTO_RENEWABLE', 'PRODUCTION', at, at FROM t`);
  await seed(
    `INSERT INTO store_transactions (id, application_id, reason, received_at)
     SELECT 'p' || n, app, 'no_credentials', at FROM t`,
    lines / 20,
  );
  await seed(`INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at,
      expires_at, signed_at, looked_up_at, auto_renew, owner_external_id, account_token, next_look_up_at)
    SELECT 'l' || n, app, CASE WHEN n % 2 = 0 THEN 'season' ELSE 'pro' END,
      (CASE WHEN n % 2 = 0 THEN 'NON_RENEWING' ELSE 'AUTO_RENEWABLE' END)::entitlement_kind, 'PRODUCTION', at,
      CASE WHEN n > ${lines - 5} THEN timestamptz '9999-01-01' WHEN n % 2 = 1 THEN at + interval '30 days' END, at, at, true, customer, customer, NULL
    FROM t`);
  await seed(`INSERT INTO store_claims SELECT 't' || n, app, CASE WHEN n % 10 = 0 THEN big ELSE phone END, customer,
      CASE WHEN n % 10 = 0 THEN 'big' ELSE 'phone' END, ARRAY[at] FROM t`);
  await seed(`INSERT INTO store_holders SELECT 'l' || n, app, CASE WHEN n % 10 = 0 THEN big ELSE phone END, customer
    FROM t`);
  await seed(
    `INSERT INTO store_transaction_devices SELECT big, 't' || n, app, 'big', customer, at FROM t WHERE n % 10 = 0`,
  );
  for (const table of ['transactions', 'entitlements', 'claims', 'holders', 'transaction_devices']) {
    await pool.query(`ANALYZE store_${table}`);
  }
}

const [none, now, past] = [null, new Date(), new Date(0)];
const deep = new Date(Date.now() - 400 * 86_400_000 - (lines / 2) * 60_000).toISOString();
const far = { instants: [deep, deep], id: 'z' };

test(
  'every filter, its first page and a page deep inside, keeps the limit of a statement',
  async () => {
    await seedAll();
    const { application, database } = service;
    const [applicationId, heldBy] = [application.id, deviceKey(application.id, 'big')];
    const lists = {
      entitlements: {
        ...{ all: {}, active: { active: true }, inactive: { active: false } },
        'inactive, all active': { active: false, now: past },
        ...{
          customer: { externalId: 'customer-7' },
          nobody: { externalId: 'none' },
          'big customer': { externalId: 'big' },
          unknown: { externalId: 'unknown' },
        },
        ...{
          'big device': { heldBy },
          'big customer, active': { externalId: 'big', active: true },
          'big, active': { externalId: 'big', heldBy, active: true },
        },
      } satisfies Record<string, Partial<EntitlementSearch>>,
      storeTransactions: {
        ...{ all: {}, RESOLVED: { state: 'RESOLVED' }, PENDING: { state: 'PENDING' }, FAILED: { state: 'FAILED' } },
        ...{
          product: { productId: 'pro' },
          'rare product': { productId: 'rare' },
          'no product': { productId: 'none' },
        },
        dates: { from: new Date(Date.now() - 600 * 86_400_000), to: new Date(Date.now() - 500 * 86_400_000) },
        'product, old dates': { productId: 'pro', to: new Date(Date.now() - 1_000 * 86_400_000) },
        ...{
          customer: { externalId: 'customer-7' },
          nobody: { externalId: 'none' },
          'big customer': { externalId: 'big' },
          unknown: { externalId: 'unknown' },
        },
        ...{
          'big device': { heldBy },
          'big customer, rare': { externalId: 'big', productId: 'rare' },
          'big, rare': { externalId: 'big', heldBy, productId: 'rare' },
        },
      } satisfies Record<string, Partial<TransactionSearch>>,
    };
    const nothing = { ...{ applicationId, externalId: none, heldBy: none, limit: 101 }, after: none };
    const find = (list: string, filter: object) =>
      list === 'entitlements'
        ? findEntitlementPage(database.pool, { ...nothing, active: none, now, ...filter })
        : findTransactionPage(database.pool, {
            ...nothing,
            ...{ state: none, productId: none, from: none, to: none },
            ...filter,
          });
    let longest = 0;
    for (const [list, filters] of Object.entries(lists)) {
      for (const [name, filter] of Object.entries(filters)) {
        const millis: string[] = [];
        for (const after of [none, far]) {
          const begun = performance.now();
          const rows = await find(list, { ...filter, after });
          const took = performance.now() - begun;
          longest = Math.max(longest, took);
          millis.push(`${took.toFixed(1)} ms (${rows.length})`);
        }
        process.stdout.write(`| ${list} | ${name} | ${millis.join(' | ')} |\n`);
      }
    }
    expect(longest).toBeLessThan(mostMillis);
  },
  30 * 60_000,
);
