// query entitlements: the filter `active` is the field `active`, over lines drawn from all states and from the instants around their ends.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { entitlementPage, findEntitlementPage } from '../../src/purchases/entitlementPageStore.ts';
import { isActive, withDuration, type Entitlement } from '../../src/purchases/entitlement.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
  await database.prisma.storeEntitlement.createMany({ data: lines.map((line) => ({ ...line, ...stored })) });
  const heldBy = randomUUID();
  const holders = lines.map(({ lineId }) => ({ lineId, applicationId, heldBy, externalId: 'ann' }));
  await database.prisma.storeHolder.createMany({ data: holders });
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
