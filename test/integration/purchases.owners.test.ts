// Purchases: who holds a line after each upload, under each policy, whenever the look-up comes between them.
import { randomUUID } from 'node:crypto';
import { aPurchase } from '../support/fakeStore.ts';
import {
  entitlementsOf,
  setCredentials,
  settled,
  startPurchaseTest,
  transactionsOf,
  upload,
} from '../support/purchases.ts';
import type { PurchaseTest } from '../support/purchases.ts';
import { restore } from '../support/storedPurchases.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

type Policy = 'KEEP' | 'TRANSFER' | 'SHARE';

let purchases: PurchaseTest;
let admin: TestUser;
beforeAll(async () => {
  purchases = await startPurchaseTest();
  const { service } = purchases;
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => purchases.stop());

async function setPolicy(policy: Policy): Promise<void> {
  const edit = 'mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) { entitlementPolicy } }';
  const { data } = await admin.ask(edit, {
    input: { id: purchases.service.application.id, entitlementPolicy: policy },
  });
  expect(data!['applicationEdit']).toEqual({ entitlementPolicy: policy });
}

/** Uploads of one purchase: `phone as person`. Its devices have names of their own in each test. */
function aSale(fields: Parameters<typeof aPurchase>[0] = { transactionId: randomUUID() }) {
  const { service, store } = purchases;
  const [id, salt] = [fields.transactionId, randomUUID()];
  store.sell(aPurchase(fields));
  const from = (step: string) => {
    const [device, externalId] = step.split(' as ');
    return { device: `${device} ${salt}`, ...(externalId !== undefined && { externalId }) };
  };
  return {
    id,
    report: (step: string) => upload(service, [id], from(step)),
    restore: (step: string) => restore(service, id, from(step)),
    resolved: () => settled(service, id, ['RESOLVED']),
    /** Of each phone: the owner's external id and device, or why it does not hold the purchase. */
    async shown(...phones: string[]) {
      const shown: Record<string, string | null> = {};
      for (const phone of phones) {
        const [held] = await entitlementsOf(service, `${phone} ${salt}`);
        const [listed] = await transactionsOf(service, `${phone} ${salt}`);
        const { owner } = held ?? { owner: null };
        const holds = owner ? `${owner.externalId} by ${owner.deviceId?.split(' ')[0] ?? 'nobody'}` : 'nobody’s';
        shown[phone] = held ? holds : (listed?.reason ?? null);
      }
      return shown;
    },
  };
}

const another = 'owned_by_another';

test.each<[Policy, Record<string, string | null>]>([
  ['KEEP', { a1: 'A by a1', b1: another, x1: another, a2: 'A by a1' }],
  ['SHARE', { a1: 'A by a1', b1: 'A by a1', x1: another, a2: 'A by a1' }],
  ['TRANSFER', { a1: 'A by a1', b1: another, x1: another, a2: 'A by a1' }],
])('%s: the same state whether the store responds before, between or after the uploads', async (policy, state) => {
  await setPolicy(policy);
  const steps = ['a1 as A', 'b1 as B', 'x1', 'a2 as A'];
  for (const responds of [0, 2, steps.length]) {
    const { service, store } = purchases;
    if (responds > 0) await setCredentials(service, null);
    const sale = aSale();
    for (const [index, step] of steps.entries()) {
      if (index === responds && responds > 0) await setCredentials(service, store.account);
      if (index === responds && index > 0) await sale.resolved();
      await sale.report(step);
      if (responds === 0) await sale.resolved();
    }
    await setCredentials(service, store.account);
    await sale.resolved();
    expect(await sale.shown('a1', 'b1', 'x1', 'a2')).toEqual(state);
  }
});

test('TRANSFER: each upload decides at once, without a look-up', async () => {
  await setPolicy('TRANSFER');
  const sale = aSale();
  await sale.report('a1 as A');
  await sale.resolved();
  const calls = purchases.store.calls.length;
  await sale.report('b1 as B');
  expect(await sale.shown('a1', 'b1')).toEqual({ a1: another, b1: 'B by b1' });
  await sale.report('a1 as A');
  expect(await sale.shown('a1', 'b1')).toEqual({ a1: 'A by a1', b1: another });
  expect(purchases.store.calls).toHaveLength(calls);
});

test('a refund and a renewal change the line, and not who holds it', async () => {
  await setPolicy('KEEP');
  const id = randomUUID();
  const first = { transactionId: id, kind: 'AUTO_RENEWABLE', expiresAt: new Date('2026-10-10T00:00:00Z') } as const;
  const sale = aSale(first);
  await sale.report('a1 as A');
  await sale.resolved();
  await sale.report('b1 as B');
  const next = { ...first, transactionId: `${id}-2`, originalTransactionId: id, purchasedAt: first.expiresAt };
  purchases.store.sell(aPurchase({ ...next, expiresAt: new Date('2099-01-01T00:00:00Z') }));
  await sale.restore('b1 as B');
  expect(await sale.shown('a1', 'b1')).toEqual({ a1: 'A by a1', b1: another });
  purchases.store.sell(aPurchase({ ...next, revokedAt: new Date('2026-11-01T00:00:00Z') }));
  await sale.restore('b1 as B');
  expect(await sale.shown('a1', 'b1')).toEqual({ a1: 'A by a1', b1: another });
});

test('a change of the policy changes nothing until the next upload', async () => {
  await setPolicy('KEEP');
  const sale = aSale();
  await sale.report('a1 as A');
  await sale.resolved();
  await sale.report('b1 as B');
  await setPolicy('SHARE');
  expect(await sale.shown('a1', 'b1')).toEqual({ a1: 'A by a1', b1: another });
  await sale.report('a1 as A');
  expect(await sale.shown('a1', 'b1')).toEqual({ a1: 'A by a1', b1: 'A by a1' });
});

test.each<[Policy, boolean]>([
  ['KEEP', false],
  ['TRANSFER', false],
  ['SHARE', true],
])(
  '%s: the account token names the owner, whoever came first; a thief holds it beside him: %p',
  async (policy, shares) => {
    await setPolicy(policy);
    const accountToken = randomUUID();
    const sale = aSale({ transactionId: randomUUID(), accountToken });
    await sale.report('thief as T');
    await sale.report('x1');
    await sale.resolved();
    const [before, upper] = [shares ? `${accountToken} by nobody` : another, accountToken.toUpperCase()];
    expect(await sale.shown('thief', 'x1')).toEqual({ thief: before, x1: another });
    await sale.report(`a1 as ${upper}`);
    await sale.report('thief as T');
    const thief = shares ? `${upper} by a1` : another;
    expect(await sale.shown('thief', 'x1', 'a1')).toEqual({ thief, x1: another, a1: `${upper} by a1` });
  },
);

test('who named an id before it was sold does not hold it', async () => {
  await setPolicy('KEEP');
  const { service, store } = purchases;
  const id = randomUUID();
  await upload(service, [id], { device: 'thief', externalId: 'T' });
  await settled(service, id, ['NOT_FOUND']);
  store.sell(aPurchase({ transactionId: id, purchasedAt: new Date() }));
  await restore(service, id, { device: 'buyer', externalId: 'A' });
  await settled(service, id, ['RESOLVED']);
  const [bought] = await entitlementsOf(service, 'buyer');
  expect(bought!.owner).toEqual({ externalId: 'A', deviceId: 'buyer' });
  expect([await entitlementsOf(service, 'thief'), await transactionsOf(service, 'thief')]).toMatchObject([
    [],
    [{ state: 'RESOLVED', reason: another }],
  ]);
});

test.each<[string, number, Partial<Parameters<typeof aPurchase>[0]>]>([
  ['by seconds', 5_000, {}],
  ['by seconds, and it signs with the same clock', 90_000, { signedAt: new Date(Date.now() + 10 * 60_000) }],
  ['by hours, because a renewal was booked early', 3 * 3_600_000, { kind: 'AUTO_RENEWABLE' }],
])('a purchase whose time is ahead of ours belongs to its upload: %s', async (_, ahead, fields) => {
  await setPolicy('KEEP');
  const purchasedAt = new Date(Date.now() + ahead);
  const sale = aSale({ transactionId: randomUUID(), purchasedAt, ...fields });
  await sale.report('a1 as A');
  await sale.resolved();
  expect(await sale.shown('a1')).toEqual({ a1: 'A by a1' });
  await sale.report('b1 as B');
  expect(await sale.shown('a1', 'b1')).toEqual({ a1: 'A by a1', b1: another });
});

test('who named a renewal on the day before the store booked it does not hold it', async () => {
  await setPolicy('KEEP');
  const { service, store } = purchases;
  const id = randomUUID();
  await upload(service, [id], { device: 'early thief', externalId: 'T' });
  await settled(service, id, ['NOT_FOUND']);
  const purchasedAt = new Date(Date.now() + 3_600_000);
  store.sell(aPurchase({ transactionId: id, kind: 'AUTO_RENEWABLE', purchasedAt }));
  await restore(service, id, { device: 'early buyer', externalId: 'A' });
  await settled(service, id, ['RESOLVED']);
  expect((await entitlementsOf(service, 'early buyer'))[0]!.owner).toEqual({
    externalId: 'A',
    deviceId: 'early buyer',
  });
  expect(await entitlementsOf(service, 'early thief')).toEqual([]);
});

test('an upload that a process of the release before has stored counts too', async () => {
  await setPolicy('KEEP');
  const { service, store } = purchases;
  await setCredentials(service, null);
  const sale = aSale();
  await sale.report('a1 as A');
  await settled(service, sale.id, ['PENDING', 'no_credentials']);
  await service.database.prisma.storeClaim.deleteMany({ where: { transactionId: sale.id } });
  await setCredentials(service, store.account);
  await sale.resolved();
  expect(await sale.shown('a1')).toEqual({ a1: 'A by a1' });
});

test('the admin API shows all of it', async () => {
  await setPolicy('KEEP');
  const sale = aSale({ transactionId: randomUUID(), price: 9_990, currency: 'EUR', quantity: 2 });
  await sale.report('a1 as A');
  await sale.resolved();
  const device = (
    await purchases.service.database.prisma.storeClaim.findFirstOrThrow({
      where: { transactionId: sale.id },
    })
  ).deviceId;
  const query = `query D($app: UUID!, $device: String!) { device(applicationId: $app, id: $device) {
    transactions { id state reason price currency quantity ownership offer offerMode kind environment storefront }
    entitlements { id price currency quantity ownership storeTransactionIds inBillingRetry graceExpiresAt
      owner { externalId deviceId } active } } }`;
  const { data } = await admin.ask(query, { app: purchases.service.application.id, device });
  const sold = { id: sale.id, price: '9.99', currency: 'EUR', quantity: 2, ownership: 'PURCHASED' };
  expect(data!['device']).toEqual({
    transactions: [
      {
        ...{ ...sold, state: 'RESOLVED', reason: null, offer: 'NONE', offerMode: null },
        ...{ kind: 'NON_CONSUMABLE', environment: 'PRODUCTION', storefront: null },
      },
    ],
    entitlements: [
      {
        ...{ ...sold, storeTransactionIds: [sale.id], inBillingRetry: false, graceExpiresAt: null, active: true },
        owner: { externalId: 'A', deviceId: device },
      },
    ],
  });
});
