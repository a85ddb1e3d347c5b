// query entitlements: the filter `active` is the field `active`, over lines drawn from all states and from the instants around their ends.
import fc from 'fast-check';
import { findEntitlementPage } from '../../src/purchases/entitlementPageStore.ts';
import { isActive } from '../../src/purchases/entitlement.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const [hour, day] = [3_600_000, 86_400_000];
const now = new Date('2026-09-10T00:00:00Z');
const around = (...offsets: number[]) =>
  fc.constantFrom(...offsets.flatMap((at) => [at - 1, at, at + 1])).map((millis) => new Date(now.getTime() + millis));

/** The products, with the days that they last. */
const products = { none: null, 'a day': 1, 'a season': 30, 'not named': undefined } as const;

const drawn = fc.record({
  kind: fc.constantFrom(
    'CONSUMABLE',
    'NON_CONSUMABLE',
    'AUTO_RENEWABLE',
    'AUTO_RENEWABLE',
    'NON_RENEWING',
    'NON_RENEWING',
  ),
  productId: fc.constantFrom(...Object.keys(products)),
  purchasedAt: around(-30 * day, -day, 0),
  expiresAt: fc.option(around(-2 * hour, -hour, 0, hour), { freq: 4 }),
  graceExpiresAt: fc.option(around(-hour, 0, hour), { freq: 1 }),
  inBillingRetry: fc.boolean(),
  revokedAt: fc.option(around(0), { freq: 1, nil: null }).map((at) => (at && at > now ? null : at)),
  autoRenew: fc.constantFrom(true, true, false, null),
  lookedUpAt: fc.option(around(-2 * hour, -hour, 0), { freq: 4 }),
});

/** What the pure function says, by the end that the product gives. */
function expected({ productId, ...line }: typeof drawn extends fc.Arbitrary<infer Line> ? Line : never): boolean {
  const days = products[productId as keyof typeof products] ?? null;
  const given = line.kind === 'NON_RENEWING' && line.expiresAt === null && days !== null;
  return isActive({ ...line, ...(given && { expiresAt: new Date(line.purchasedAt.getTime() + days * day) }) }, now);
}

test('of 3,000 lines each is found by the value of `active` that it shows, and by no other', async () => {
  const { database, application } = service;
  const applicationId = application.id;
  for (const [productId, durationDays] of Object.entries(products)) {
    if (durationDays !== undefined)
      await database.prisma.storeProduct.create({ data: { applicationId, productId, durationDays } });
  }
  const lines = fc
    .sample(drawn, { numRuns: 3_000, seed: 7 })
    .map((line, index) => ({ ...line, lineId: `line ${index}` }));
  const stored = { applicationId, environment: 'PRODUCTION', signedAt: now } as const;
  await database.prisma.storeEntitlement.createMany({
    data: lines.map((line) => ({ ...line, kind: line.kind as 'CONSUMABLE', ...stored })),
  });
  const search = { applicationId, externalId: null, heldBy: null, after: null, now, limit: 5_000 };
  const idsBy = async (active: boolean | null) => findEntitlementPage(database.pool, { ...search, active });
  const shown = new Map((await idsBy(null)).map(({ id, active }) => [id, active]));
  const said = new Map(lines.map((line) => [line.lineId, expected(line)]));
  expect([...shown].sort()).toEqual([...said].sort());
  for (const active of [true, false]) {
    const found = (await idsBy(active)).map(({ id }) => id).sort();
    const fitting = [...said].filter(([, value]) => value === active).map(([id]) => id);
    expect(fitting.length).toBeGreaterThan(500);
    expect(found).toEqual(fitting.sort());
  }
});
