// Purchases: who holds a line, for how long, after any sequence of uploads and of the store's statements.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { aheadMillis, holdingPeriod, latestStatements } from '../../src/purchases/entitlement.ts';
import type { SignedRenewal, SignedTransaction } from '../../src/purchases/storeClient.ts';
import { createStoreServerClient } from '../../src/purchases/storeOpener.ts';
import { storeStatement } from '../../src/purchases/storeStatement.ts';
import { type FakeResponses, notFound } from '../tools/demo/fakeStore/fakeStore.ts';
import { type FakePurchase, signedRenewal, signedTransaction } from '../tools/demo/fakeStore/signedData.ts';
import { captureLog } from '../support/capturedLog.ts';
import {
  day,
  dayOf,
  eventsOf,
  type EventTest,
  minute,
  startEventTest,
  subscribe,
  tick,
} from '../support/entitlementEvents.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase, newAccount } from '../support/fakeStore.ts';
import {
  entitlementsOf,
  type PurchaseTest,
  setCredentials,
  settled,
  startPurchaseTest,
  startTestWorker,
  transactionsOf,
  upload,
} from '../support/purchases.ts';
import { retried } from '../support/retried.ts';
import { signedPurchase } from '../support/signedPurchase.ts';
import { aMinuteLater, restore } from '../support/storedPurchases.ts';
import type { TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

// Purchases: who holds a line after each upload, under each policy, whenever the look-up comes between them.
describe('purchases: owners', () => {
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
});

// Purchases: the sequences of public reports, in which a purchase changes after its first look-up or the store comes late.
describe('purchases: reports', () => {
  let purchases: PurchaseTest;
  beforeAll(async () => {
    purchases = await startPurchaseTest({ foundation: { notKnownMillis: 60_000 } });
  });
  afterAll(() => purchases.stop());

  const day = 86_400_000;
  const daysAgo = (days: number) => new Date(Date.now() - days * day);

  /** A month of the line, from so many days ago on. */
  function month(
    [line, transactionId]: [string, string],
    from: number,
    fields: Partial<FakePurchase> = {},
  ): FakePurchase {
    return aPurchase({
      ...{ transactionId, originalTransactionId: line, kind: 'AUTO_RENEWABLE' },
      ...{ purchasedAt: daysAgo(from), expiresAt: daysAgo(from - 30), price: 9_990, currency: 'EUR' },
      ...fields,
    });
  }

  async function bought(...sold: FakePurchase[]) {
    const [id, device] = [sold[0]!.transactionId, randomUUID()];
    purchases.store.sell(...sold);
    await upload(purchases.service, [id], { device });
    await settled(purchases.service, id, ['RESOLVED']);
    return { id, device };
  }

  const shown = (device: string) => entitlementsOf(purchases.service, device);

  test('a refund after the purchase was resolved shows when it is restored, and so does its end', async () => {
    const { service, store } = purchases;
    const purchase = aPurchase({ transactionId: randomUUID(), price: 4_990, currency: 'USD' });
    const { id, device } = await bought(purchase);
    expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null, price: '4.99', currency: 'USD' }]);
    const revokedAt = daysAgo(1);
    const refund = { revocationReason: 1, revocationType: 'REFUND_PRORATED', revocationPercentage: 50_000 };
    store.sell({ ...purchase, revokedAt, payload: refund });
    await restore(service, id, { device });
    expect(await shown(device)).toMatchObject([{ active: false, revokedAt }]);
    const reasons = { revocationReason: 'APP_ISSUE', revocationType: 'REFUND_PRORATED', revocationPercent: 50 };
    expect(await transactionsOf(service, device)).toMatchObject([{ id, state: 'RESOLVED', revokedAt, ...reasons }]);
    store.sell(purchase);
    await restore(service, id, { device });
    expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null }]);
    expect(await transactionsOf(service, device)).toMatchObject([{ revokedAt: null, revocationReason: null }]);
  });

  test('a renewal shows when the first id is uploaded again, and each period is a transaction of its own', async () => {
    const { service, store } = purchases;
    const line = randomUUID();
    const offer = { offer: 'INTRODUCTORY', offerMode: 'FREE_TRIAL', storefront: 'DEU' } as const;
    const { device } = await bought(month([line, line], 80, { ...offer, price: 0 }));
    expect(await shown(device)).toMatchObject([{ id: line, active: false, price: '0.00' }]);
    store.sell(month([line, `${line}-2`], 50), month([line, `${line}-3`], 20));
    await restore(service, line, { device });
    const storeTransactionIds = [line, `${line}-2`, `${line}-3`];
    expect(await shown(device)).toMatchObject([{ id: line, active: true, price: '9.99', storeTransactionIds }]);
    const transactions = await transactionsOf(service, device);
    expect(transactions.map(({ id }) => id).sort()).toEqual(storeTransactionIds);
    const first = transactions.find(({ id }) => id === line);
    expect(first).toMatchObject({ ...offer, storefront: 'DE', price: '0.00', currency: 'EUR', originalId: line });
    const second = transactions.find(({ id }) => id === `${line}-2`);
    expect(second).toMatchObject({
      state: 'RESOLVED',
      offer: 'NONE',
      offerMode: null,
      price: '9.99',
      lastLookedUpAt: null,
    });
  });

  test('a refund of a period before the last one leaves the entitlement as it is', async () => {
    const { service, store } = purchases;
    const line = randomUUID();
    const { device } = await bought(month([line, line], 50), month([line, `${line}-2`], 20));
    store.sell(month([line, line], 50, { revokedAt: daysAgo(1) }));
    await restore(service, `${line}-2`, { device });
    expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null }]);
    const transactions = await transactionsOf(service, device);
    expect(transactions.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id)).toEqual([line]);
  });

  test('a store that does not know the purchase for the first seconds', async () => {
    const { service, store } = purchases;
    const id = randomUUID();
    const later = [notFound, notFound, notFound];
    store.respondWith(id, {
      production: [...later, { purchase: aPurchase({ transactionId: id }) }],
      sandbox: [notFound],
    });
    const device = randomUUID();
    await upload(service, [id], { device });
    await settled(service, id, ['RESOLVED']);
    expect(await shown(device)).toMatchObject([{ active: true }]);
    expect(store.calls.filter((call) => call.id === id && call.environment === 'production')).toHaveLength(4);
  });

  test('in those seconds it is PENDING, and says why', async () => {
    const [id, device] = [randomUUID(), randomUUID()];
    await upload(purchases.service, [id], { device });
    await settled(purchases.service, id, ['PENDING', 'not_known_yet']);
    const [waiting] = await transactionsOf(purchases.service, device);
    expect(waiting).toMatchObject({ lastLookUpError: 'not_known_yet', lastLookedUpAt: expect.any(Date) as Date });
    const { productId, kind, environment, purchasedAt, price, quantity, ownership, offer, storefront } = waiting!;
    const said = [productId, kind, environment, purchasedAt, price, quantity, ownership, offer, storefront];
    expect(said).toEqual(said.map(() => null));
  });

  test('one passing 401', async () => {
    const { service, store } = purchases;
    const id = randomUUID();
    const refused = { status: 401 };
    store.respondWith(id, {
      production: [refused, { purchase: aPurchase({ transactionId: id }) }],
      sandbox: [refused],
    });
    const device = randomUUID();
    await upload(service, [id], { device });
    await settled(service, id, ['RESOLVED']);
    expect(await transactionsOf(service, device)).toMatchObject([{ lastLookUpError: null }]);
  });

  test('a pass of 30 days that was bought 400 days ago ends once an admin has said how long it lasts', async () => {
    const { service } = purchases;
    const pass = { kind: 'NON_RENEWING', productId: `pass-${randomUUID()}`, purchasedAt: daysAgo(400) } as const;
    const { device } = await bought(aPurchase({ transactionId: randomUUID(), ...pass }));
    expect(await shown(device)).toMatchObject([{ expiresAt: null, active: true }]);
    const application = await service.database.prisma.application.findFirstOrThrow({ include: { project: true } });
    const admin = await newUser(service, application.project.organizationId, 'admin');
    const edit = async (durationDays: number | null) => {
      const input = { applicationId: application.id, productId: pass.productId, durationDays };
      const query =
        'mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId kind durationDays } }';
      return (await admin.ask(query, { input })).data!['productEdit'];
    };
    expect(await edit(30)).toEqual({ productId: pass.productId, kind: 'NON_RENEWING', durationDays: 30 });
    const expiresAt = new Date(pass.purchasedAt.getTime() + 30 * day);
    expect(await shown(device)).toMatchObject([{ expiresAt, active: false }]);
    await edit(401);
    expect(await shown(device)).toMatchObject([{ active: true }]);
    await edit(null);
    expect(await shown(device)).toMatchObject([{ expiresAt: null, active: true }]);
  });

  test('five of a consumable, and another five', async () => {
    const five = { kind: 'CONSUMABLE', productId: 'coins', quantity: 5 } as const;
    const [one, other] = [randomUUID(), randomUUID()];
    const { device } = await bought(aPurchase({ transactionId: one, ...five }));
    purchases.store.sell(aPurchase({ transactionId: other, ...five }));
    await upload(purchases.service, [other], { device });
    await settled(purchases.service, other, ['RESOLVED']);
    expect((await shown(device)).map(({ quantity, kind }) => [quantity, kind])).toEqual([
      [5, 'CONSUMABLE'],
      [5, 'CONSUMABLE'],
    ]);
  });

  test('grace has a date of its own, and the paid end stays where it is', async () => {
    const { service, store } = purchases;
    const line = randomUUID();
    const grace = { inBillingRetry: true, graceExpiresAt: daysAgo(-5) };
    const paid = month([line, line], 31, grace);
    const { device } = await bought(paid);
    const expiresAt = paid.expiresAt!;
    expect(await shown(device)).toMatchObject([{ active: true, expiresAt, ...grace }]);
    store.sell({ ...paid, graceExpiresAt: daysAgo(0.5) });
    await restore(service, line, { device });
    expect(await shown(device)).toMatchObject([{ active: false, expiresAt, inBillingRetry: true }]);
    store.sell(month([line, `${line}-2`], 0.1));
    await restore(service, line, { device });
    expect(await shown(device)).toMatchObject([{ active: true, inBillingRetry: false, graceExpiresAt: null }]);
    const kept = await service.database.prisma.storeRenewalChange.findMany({
      where: { lineId: line },
      orderBy: { signedAt: 'asc' },
    });
    expect(kept.map(({ inBillingRetry, graceExpiresAt }) => [inBillingRetry, graceExpiresAt])).toEqual([
      [true, grace.graceExpiresAt],
      [true, expect.any(Date)],
      [false, null],
    ]);
  });

  test('what a family shares says so', async () => {
    const { device } = await bought(aPurchase({ transactionId: randomUUID(), familyShared: true }));
    expect(await shown(device)).toMatchObject([{ ownership: 'FAMILY_SHARED' }]);
  });
});

// Purchases: the entitlement of a subscription shows the latest period, whatever the order of the store's responses.
describe('purchases: subscriptions', () => {
  let purchases: PurchaseTest;
  beforeAll(async () => {
    purchases = await startPurchaseTest();
  });
  afterAll(() => purchases.stop());

  const periods = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map((day) => new Date(`${day}T00:00:00Z`));

  /** The period with that number in the line `line`; the first one has the line's own id. */
  function period(line: string, number: number, fields: Partial<FakePurchase> = {}): FakePurchase {
    return aPurchase({
      transactionId: number === 0 ? line : `${line}-${number}`,
      originalTransactionId: line,
      kind: 'AUTO_RENEWABLE',
      purchasedAt: periods[number]!,
      expiresAt: periods[number + 1]!,
      ...fields,
    });
  }

  /** Uploads ids one after the other, each looked up before the next; returns the device's entitlements. */
  async function lookUp(ids: string[], now = new Date('2026-03-15T00:00:00Z'), device: string = randomUUID()) {
    for (const id of ids) {
      await upload(purchases.service, [id], { device });
      await settled(purchases.service, id, ['RESOLVED']);
    }
    return entitlementsOf(purchases.service, device, now);
  }

  function tell(line: string, number: number, subscription: FakeResponses['subscription']): string {
    const purchase = period(line, number);
    const { store } = purchases;
    // The service asks for the status by the line's id, whichever of its transactions was looked up.
    store.respondWith(line, { production: [{ purchase: period(line, 0) }], ...(subscription && { subscription }) });
    if (number > 0) store.respondWith(purchase.transactionId, { production: [{ purchase }] });
    return purchase.transactionId;
  }

  test('an old id shows the latest period, renewal and grace', async () => {
    const line = randomUUID();
    const graceExpiresAt = new Date('2026-04-10T00:00:00Z');
    tell(line, 0, [{ purchase: period(line, 2, { autoRenew: false, graceExpiresAt }) }]);
    const within = await lookUp([line], new Date('2026-04-09T00:00:00Z'));
    expect(within).toEqual([
      {
        productId: 'com.example.test.gold',
        kind: 'AUTO_RENEWABLE',
        environment: 'PRODUCTION',
        purchasedAt: periods[2],
        expiresAt: periods[3],
        revokedAt: null,
        autoRenew: false,
        active: true,
        ...{ id: line, storeTransactionIds: [line, `${line}-2`], graceExpiresAt, inBillingRetry: false },
        ...{ owner: null, ownership: 'PURCHASED', quantity: 1, price: null, currency: null },
      },
    ]);
    expect(await lookUp([line], graceExpiresAt)).toMatchObject([{ active: false }]);
  });

  test('of the lines that the same customer has, the one that was asked for counts', async () => {
    const line = randomUUID();
    const otherLines = [period(randomUUID(), 3, { productId: 'com.example.test.silver' })];
    tell(line, 0, [{ purchase: period(line, 2), otherLines }]);
    expect(await lookUp([line])).toMatchObject([{ productId: 'com.example.test.gold', purchasedAt: periods[2] }]);
  });

  test('several transactions of one line are one entitlement, on every device that uploaded any', async () => {
    const line = randomUUID();
    const ids = [tell(line, 1, [{ purchase: period(line, 2) }]), line];
    expect(await lookUp(ids)).toMatchObject([{ purchasedAt: periods[2], autoRenew: true, active: true }]);
    expect(await lookUp(ids.slice(0, 1))).toHaveLength(1);
  });

  test.each([
    ['older first', [1, 2]],
    ['older last', [2, 1]],
  ])('two periods, %s: the later one holds', async (_, order) => {
    const line = randomUUID();
    const ids = order.map((number) => tell(line, number, undefined));
    expect(await lookUp(ids)).toMatchObject([{ purchasedAt: periods[2], autoRenew: null }]);
  });

  test.each([
    ['in order', 0],
    ['the other way round', 1],
  ])('two responses about one period, %s: the one signed later holds', async (_, first) => {
    const line = randomUUID();
    const responses = [
      { purchase: period(line, 2, { signedAt: new Date('2026-03-02T00:00:00Z'), autoRenew: true }) },
      {
        purchase: period(line, 2, {
          signedAt: new Date('2026-03-20T00:00:00Z'),
          autoRenew: false,
          revokedAt: periods[2]!,
        }),
      },
    ];
    const id = tell(line, 1, [responses[first]!, responses[1 - first]!]);
    expect(await lookUp([line, id])).toMatchObject([{ autoRenew: false, revokedAt: periods[2], active: false }]);
  });

  test.each<[string, (line: string) => FakeResponses['subscription'], [string, string]]>([
    [
      'another bundle',
      (line) => [{ purchase: period(line, 2, { bundleId: 'com.other' }) }],
      ['FAILED', 'wrong_bundle'],
    ],
    [
      'another line',
      (line) => [{ purchase: period(line, 2, { payload: { originalTransactionId: 'another' } }) }],
      ['FAILED', 'wrong_transaction'],
    ],
    ['another 4xx', () => [{ status: 400, code: 4_000_008 }], ['FAILED', 'store_refused_4000008']],
  ])('a status of %s fails the transaction', async (_, subscription, wanted) => {
    const line = randomUUID();
    tell(line, 0, subscription(line));
    await upload(purchases.service, [line]);
    await settled(purchases.service, line, wanted);
  });

  test('a status whose renewal is of another line does not verify', async () => {
    const line = randomUUID();
    const { chain } = purchases.store;
    const signing = { chain, environment: 'production', bundleId: newAccount().bundleId } as const;
    const signedTransactionInfo = signedTransaction(period(line, 2), signing);
    const signedRenewalInfo = signedRenewal(period('another', 2), signing);
    const lastTransactions = [{ originalTransactionId: line, signedTransactionInfo, signedRenewalInfo }];
    const body = JSON.stringify({ data: [{ lastTransactions }] });
    const store = await listen((_, response) => response.end(body), { port: 0, host: '127.0.0.1' });
    const rootCertificates = [Buffer.from(chain.x5c[2], 'base64')];
    const server = { rootCertificates, apiUrl: store.url, timeLimitMillis: 5_000, now: () => new Date() };
    const client = createStoreServerClient(server, newAccount(), new AbortController().signal);
    const result = await client.subscription('PRODUCTION', line).finally(() => store.drain(0));
    expect(result).toEqual({ failure: { kind: 'unverified', reason: 'wrong_transaction' } });
  });

  test('a status that comes at the second attempt, and one that the store does not know', async () => {
    const line = randomUUID();
    tell(line, 0, [{ status: 500 }, { purchase: period(line, 2) }]);
    expect(await lookUp([line])).toMatchObject([{ purchasedAt: periods[2] }]);
  });

  test('asked for by the id of its line, the store may respond with a renewal', async () => {
    const line = randomUUID();
    purchases.store.respondWith(line, { production: [{ purchase: period(line, 2) }] });
    expect(await lookUp([line])).toMatchObject([{ purchasedAt: periods[2], active: true }]);
  });
});

// The period of a line that holds: replaced, taken back, booked early and booked late, in any order of the store's statements.
describe('heldPeriods', () => {
  let events: EventTest;
  beforeAll(async () => {
    events = await startEventTest();
  });
  afterAll(() => events.stop());
  beforeEach(() => events.at(0));

  const renewing = { autoRenew: true, inBillingRetry: false, graceExpiresAt: null };

  /** The store says this, at the time of the clock. */
  async function say(transactions: SignedTransaction[], renewals: SignedRenewal[] = []): Promise<void> {
    const applicationId = events.service.application.id;
    const statement = { applicationId, environment: 'PRODUCTION', transactions, renewals } as const;
    await inTransaction(events.service.database.pool, (transaction) =>
      storeStatement(transaction, statement, { now: events.now() }),
    );
  }

  /** A period of the line from one day to another. */
  function period(line: string, id: string, [from, to]: [number, number], fields: Partial<SignedTransaction> = {}) {
    const dates = { purchasedAt: dayOf(from), expiresAt: dayOf(to), signedAt: dayOf(from) };
    return {
      ...signedPurchase(`${line}${id}`),
      kind: 'AUTO_RENEWABLE',
      originalTransactionId: line,
      ...dates,
      ...fields,
    } as const;
  }

  const rowOf = (lineId: string) =>
    events.service.database.prisma.storeEntitlement.findFirstOrThrow({ where: { lineId } });
  const typesOf = async (line: string) =>
    (await eventsOf(events, line)).map(({ type }) => type.replace('entitlement.', ''));

  /** Every order of these. */
  const orders = <Each>(all: Each[]): Each[][] =>
    all.length < 2 ? [all] : all.flatMap((one, index) => orders(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));

  /** Before the end of the monthly period. */
  const bought = 30 - 2.7 / 24;

  test.each([30 - 1 / 24, 31])(
    'an upgrade holds, whatever is said first of the renewal that it has replaced: on day %d',
    async (now) => {
      for (const order of orders([0, 1, 2, 3])) {
        events.at(now);
        const line = randomUUID();
        const renewal = period(line, '-1', [30, 60], { signedAt: dayOf(29) });
        const taken = { upgraded: true, revokedAt: dayOf(bought), signedAt: dayOf(bought) };
        const statements = [
          period(line, '', [0, 30]),
          renewal,
          { ...renewal, ...taken },
          period(line, '-2', [bought, bought + 365], { productId: 'yearly' }),
        ];
        for (const index of order) {
          const said = statements[index]!;
          await say([said], [{ lineId: line, ...renewing, signedAt: said.signedAt }]);
        }
        events.at(40);
        await tick(events);
        expect(await rowOf(line)).toMatchObject({ productId: 'yearly', revokedAt: null, toldActive: true });
        expect(await typesOf(line)).not.toContain('revoked');
      }
    },
  );

  test('a renewal that was taken back before it begins leaves the present period, which ends by itself', async () => {
    const line = randomUUID();
    const stops = [{ lineId: line, ...renewing, autoRenew: false, signedAt: dayOf(29) }];
    events.at(29.5);
    await say([period(line, '', [0, 30])], stops);
    await say([period(line, '-1', [30, 60], { revokedAt: dayOf(29.6), signedAt: dayOf(29.6) })]);
    events.at(30 - 1 / 24);
    await tick(events);
    expect(await rowOf(line)).toMatchObject({ transactionId: line, revokedAt: null });
    expect(await typesOf(line)).toEqual(['activated']);
    events.at(30);
    await tick(events);
    events.at(31);
    await tick(events);
    expect(await rowOf(line)).toMatchObject({ transactionId: line, revokedAt: null });
    expect(await typesOf(line)).toEqual(['activated', 'expired']);
  });

  test('a renewal that was booked early is told a minute before it begins, and nothing ends between', async () => {
    const line = randomUUID();
    const stops = [{ lineId: line, ...renewing, autoRenew: false, signedAt: dayOf(29) }];
    events.at(29.5);
    await say([period(line, '', [0, 30]), period(line, '-1', [30, 60])], stops);
    expect(await rowOf(line)).toMatchObject({ transactionId: line, expiresAt: dayOf(30), beginsAt: dayOf(30) });
    events.at(30 - (minute + 1) / day);
    expect(await tick(events)).toBe(0);
    events.at(30 - minute / day);
    await Promise.all([tick(events), tick(events)]);
    expect(await rowOf(line)).toMatchObject({ transactionId: `${line}-1`, expiresAt: dayOf(60), beginsAt: null });
    events.at(30);
    await tick(events);
    expect(await typesOf(line)).toEqual(['activated', 'renewed']);
  });

  describe('the store books a renewal after the end', () => {
    const second = 1_000 / day;

    test('within a minute, while it says that the subscription is active: it is told alone', async () => {
      const { sell, lookUpEnd, types, shown } = await subscribe(events);
      events.at(30 + second);
      await lookUpEnd();
      await tick(events);
      events.at(30 + 59 * second);
      await tick(events);
      expect([await types(), (await shown()).active]).toEqual([['activated'], true]);
      sell(1);
      events.at(30 + 61 * second);
      await lookUpEnd();
      await tick(events);
      expect([await types(), (await shown()).active]).toEqual([['activated', 'renewed'], true]);
    });

    test('later: the end is told after a minute', async () => {
      const { lookUpEnd, types } = await subscribe(events);
      events.at(30 + second);
      await lookUpEnd();
      events.at(30 + 61 * second);
      await lookUpEnd();
      await tick(events);
      expect(await types()).toEqual(['activated', 'expired']);
    });

    test('the end is told at once where the store says so', async () => {
      const { sell, lookUpEnd, types } = await subscribe(events);
      events.at(30 + second);
      sell(0, { status: 2 });
      await lookUpEnd();
      expect(await types()).toEqual(['activated', 'expired']);
    });
  });

  test('an extension moves the end, and not the end that was paid for, in any order', async () => {
    const line = randomUUID();
    const paid = period(line, '', [0, 30]);
    const extended = { ...paid, expiresAt: dayOf(90), signedAt: dayOf(10) };
    const { prisma } = events.service.database;
    for (const order of [[[paid], [extended]], [[extended], [paid]], [[extended, paid]]]) {
      await prisma.storeTransaction.deleteMany({ where: { id: line } });
      for (const said of order) await say(said);
      const stored = await prisma.storeTransaction.findFirstOrThrow({ where: { id: line } });
      expect([stored.expiresAt, stored.paidUntil]).toEqual([dayOf(90), dayOf(30)]);
    }
  });

  test('what is stored of a line is what the rule says of all statements, in any order of arrival', async () => {
    const drawnPeriod = fc.record({
      from: fc.integer({ min: 0, max: 6 }),
      said: fc.array(
        fc.record({
          revoked: fc.option(fc.integer({ min: 0, max: 6 })),
          upgraded: fc.boolean(),
          days: fc.integer({ min: 1, max: 3 }),
        }),
        { minLength: 1, maxLength: 2 },
      ),
    });
    const scenes = fc.array(drawnPeriod, { minLength: 1, maxLength: 5 }).chain((periods) => {
      const statements = periods.flatMap(({ from, said }, number) =>
        said.map(({ revoked, upgraded, days }, version) => ({
          ...{ number, from, to: from + days, version, upgraded, revoked },
        })),
      );
      const order = fc.shuffledSubarray(statements, { minLength: statements.length });
      return fc.tuple(order, fc.array(fc.integer({ min: 0, max: 8 }), { minLength: statements.length, maxLength: 10 }));
    });
    const property = fc.asyncProperty(scenes, async ([order, times]) => {
      const line = randomUUID();
      const ascending = [...times].sort((one, other) => one - other);
      const all = order.map(({ number, from, to, version, upgraded, revoked }) =>
        period(line, `-${number}`, [from, to], {
          ...{ upgraded, revokedAt: revoked === null ? null : dayOf(revoked), signedAt: dayOf(from + version / 24) },
        }),
      );
      for (const [index, statement] of all.entries()) {
        events.at(ascending[index]!);
        await say([statement]);
      }
      events.at(ascending.at(-1)!);
      await tick(events);
      const holds = holdingPeriod(latestStatements(all), new Date(events.now().getTime() + aheadMillis))!;
      expect((await rowOf(line)).transactionId).toBe(holds.transactionId);
    });
    await fc.assert(property, { numRuns: 60, interruptAfterTimeLimit: 200_000 });
  }, 300_000);
});

// Purchases: one transaction id in two applications is two transactions, each with an outcome and an entitlement of its own.
describe('purchases: applications', () => {
  let purchases: PurchaseTest;
  let own: TestService;
  let other: TestService;
  beforeAll(async () => {
    purchases = await startPurchaseTest();
    own = purchases.service;
  });
  beforeEach(async () => {
    other = { ...own, application: await own.newApplication() };
  });
  afterAll(() => purchases.stop());

  test('devices of two applications see what became of an id in their own', async () => {
    const [transactionId, device] = [randomUUID(), randomUUID()];
    await setCredentials(other, purchases.store.account);
    const products = ['com.example.test.gold', 'com.example.test.silver'];
    const production = products.map((productId) => ({ purchase: aPurchase({ transactionId, productId }) }));
    purchases.store.respondWith(transactionId, { production });
    for (const [index, service] of [own, other].entries()) {
      await upload(service, [transactionId], { device });
      await settled(service, transactionId, ['RESOLVED']);
      const shown = await entitlementsOf(service, device);
      expect(shown.map(({ productId }) => productId)).toEqual([products[index]]);
    }
    for (const service of [own, other]) {
      expect(await transactionsOf(service, device)).toHaveLength(1);
      expect(await entitlementsOf(service, device)).toHaveLength(1);
    }
  });

  test('an id that waits in one application is looked up in another', async () => {
    const transactionId = randomUUID();
    purchases.store.respondWith(transactionId, { production: [{ purchase: aPurchase({ transactionId }) }] });
    await upload(other, [transactionId]);
    await settled(other, transactionId, ['PENDING', 'no_credentials']);
    await upload(own, [transactionId]);
    await settled(own, transactionId, ['RESOLVED']);
  });
});

// Purchases: many uploads of the same transactions while they are looked up; none is lost, and none waits in a circle.
describe('purchases: races', () => {
  let purchases: PurchaseTest;
  let stopSecond: () => Promise<void>;
  const captured = captureLog();
  beforeAll(async () => {
    const foundation = { log: captured.log };
    purchases = await startPurchaseTest({ foundation });
    stopSecond = await startTestWorker(purchases, { foundation });
  });
  afterAll(async () => {
    captured.stop();
    await stopSecond();
    await purchases.stop();
  });

  const day = 86_400_000;

  /** Five lines of four months each. */
  function periods(): FakePurchase[] {
    return Array.from({ length: 5 }, () => randomUUID()).flatMap((line) =>
      [0, 1, 2, 3].map((month) =>
        aPurchase({
          ...{ transactionId: `${month}-${line}`, originalTransactionId: `0-${line}`, kind: 'AUTO_RENEWABLE' },
          purchasedAt: new Date(Date.now() + (month - 3) * 30 * day - day),
          expiresAt: new Date(Date.now() + (month - 2) * 30 * day - day),
        }),
      ),
    );
  }

  test('every device holds every line at the end, and every upload was accepted', async () => {
    const { service, store } = purchases;
    const sold = periods();
    store.sell(...sold);
    const ids = sold.map(({ transactionId }) => transactionId);
    const devices = Array.from({ length: 12 }, (_, number) => `device ${number}`);
    for (let round = 0; round < 4; round += 1) {
      const responses = await Promise.all(
        devices.map((device, number) => {
          const own = ids.filter((_, index) => (index + number + round) % 3 !== 0);
          const order = number % 2 === 0 ? own : own.toReversed();
          return retried(() => upload(service, order, { device }));
        }),
      );
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      // One row at a time, so that the test itself waits for nobody in a circle.
      for (const id of ids) await aMinuteLater(service, id);
    }
    for (const device of devices) {
      const held = () => entitlementsOf(service, device);
      const lines = await eventually(held, ({ length }) => length === 5);
      expect(lines.map(({ active, storeTransactionIds }) => [active, storeTransactionIds.length])).toEqual(
        lines.map(() => [true, 4]),
      );
    }
    const failures = await service.database.pool.query<{ errors: number }>(
      'SELECT count(*)::int AS errors FROM graphile_worker._private_jobs WHERE last_error IS NOT NULL',
    );
    expect(failures.rows).toEqual([{ errors: 0 }]);
    expect(captured.text()).not.toContain('a look-up failed');
  });
});
