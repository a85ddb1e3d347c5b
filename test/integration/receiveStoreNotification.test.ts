// POST /api/v1/store/notifications/{applicationId}: what it takes, and what it refuses.
import { createHmac, randomUUID, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { type Chain, mintChain } from '../tools/demo/fakeStore/certificates.ts';
import { fakeAppId, signNotification } from '../tools/demo/fakeStore/notifications.ts';
import { type FakePurchase, signedTransaction } from '../tools/demo/fakeStore/signedData.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { holdLock } from '../support/heldLock.ts';
import { kindsOfPage } from '../support/notificationKinds.ts';
import { entitlementsOf, transactionsOf, upload } from '../support/purchases.ts';
import { pathsOf } from '../support/reportSessions.ts';
import { retried } from '../support/retried.ts';
import {
  known,
  type NotificationTest,
  startNotificationTest,
  tell,
  tellText,
  type Told,
} from '../support/storeNotifications.ts';
import { startTestService } from '../support/testService.ts';

// POST /api/v1/store/notifications/{applicationId}: what a notification brings, once, in any order, for whom.
describe('receiveStoreNotification', () => {
  let test_: NotificationTest;
  beforeAll(async () => {
    test_ = await startNotificationTest();
  });
  afterAll(() => test_.stop());

  const day = 86_400_000;
  const daysAgo = (days: number) => new Date(Date.now() - days * day);
  const accepted = { status: 200, body: {} };

  /** A month of a subscription, which began so many days ago. */
  function month(line: string, from: number, fields: Partial<FakePurchase> = {}): FakePurchase {
    return aPurchase({
      ...{ transactionId: `${line}-${from}`, originalTransactionId: line, kind: 'AUTO_RENEWABLE' },
      ...{ purchasedAt: daysAgo(from), expiresAt: daysAgo(from - 30), signedAt: daysAgo(from), ...fields },
    });
  }

  const shown = (device: string) => entitlementsOf(test_.service, device);

  test('a purchase that a device uploaded is resolved by the notification, before any look-up', async () => {
    const [id, device] = [randomUUID(), randomUUID()];
    await upload(test_.service, [id], { device });
    expect(await shown(device)).toEqual([]);
    expect(await tell(test_, { type: 'ONE_TIME_CHARGE', purchase: aPurchase({ transactionId: id }) })).toMatchObject(
      accepted,
    );
    expect(await shown(device)).toMatchObject([{ id, active: true, storeTransactionIds: [id] }]);
    expect(await transactionsOf(test_.service, device)).toMatchObject([{ id, state: 'RESOLVED', reason: null }]);
  });

  test('a renewal that nobody uploaded belongs to the devices and the owner of its line', async () => {
    const [line, device, owner] = [randomUUID(), randomUUID(), randomUUID()];
    const first = month(line, 40);
    await upload(test_.service, [first.transactionId], { device, externalId: owner });
    await tell(test_, { type: 'SUBSCRIBED', subtype: 'INITIAL_BUY', purchase: first });
    expect(await shown(device)).toMatchObject([{ id: line, active: false, owner: { externalId: owner } }]);
    const second = month(line, 10);
    expect(await tell(test_, { type: 'DID_RENEW', purchase: second })).toMatchObject(accepted);
    expect(await shown(device)).toMatchObject([{ id: line, active: true, owner: { externalId: owner } }]);
    expect((await transactionsOf(test_.service, device)).map(({ id }) => id).sort()).toEqual(
      [first.transactionId, second.transactionId].sort(),
    );
  });

  test('a transaction that no device uploaded waits for its first', async () => {
    const [line, device] = [randomUUID(), randomUUID()];
    const purchase = month(line, 3);
    expect(await tell(test_, { type: 'SUBSCRIBED', subtype: 'INITIAL_BUY', purchase })).toMatchObject(accepted);
    expect(await shown(device)).toEqual([]);
    await upload(test_.service, [purchase.transactionId], { device });
    expect(await shown(device)).toMatchObject([{ id: line, active: true }]);
  });

  test('the account token in a notification names the owner, whoever uploaded first', async () => {
    const [line, stranger, device, owner] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const purchase = month(line, 3, { accountToken: owner.toUpperCase() });
    await upload(test_.service, [purchase.transactionId], { device: stranger, externalId: 'a-stranger' });
    await upload(test_.service, [purchase.transactionId], { device, externalId: owner });
    await tell(test_, { type: 'SUBSCRIBED', subtype: 'INITIAL_BUY', purchase });
    expect(await shown(stranger)).toEqual([]);
    expect(await shown(device)).toMatchObject([{ id: line, owner: { externalId: owner } }]);
  });

  test('the order of arrival does not matter: a refund that comes before its purchase stays', async () => {
    const device = randomUUID();
    const bought = aPurchase({ transactionId: randomUUID(), signedAt: daysAgo(2) });
    const refunded = { ...bought, signedAt: daysAgo(1), revokedAt: daysAgo(1) };
    await upload(test_.service, [bought.transactionId], { device });
    await tell(test_, { type: 'REFUND', purchase: refunded });
    expect(await shown(device)).toMatchObject([{ active: false, revokedAt: refunded.revokedAt }]);
    await tell(test_, { type: 'ONE_TIME_CHARGE', purchase: bought });
    expect(await shown(device)).toMatchObject([{ active: false, revokedAt: refunded.revokedAt }]);
    await tell(test_, { type: 'REFUND_REVERSED', purchase: { ...bought, signedAt: new Date() } });
    expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null }]);
  });

  test('a notification that comes again changes nothing, also when many come at one moment', async () => {
    const uuid = randomUUID().toUpperCase();
    const device = randomUUID();
    const bought = aPurchase({ transactionId: randomUUID(), signedAt: daysAgo(2) });
    await upload(test_.service, [bought.transactionId], { device });
    const sent = Array.from({ length: 8 }, () =>
      retried(() => tell(test_, { uuid, type: 'ONE_TIME_CHARGE', purchase: bought })),
    );
    for (const response of await Promise.all(sent)) expect(response).toMatchObject(accepted);
    expect((await known(test_)).filter(({ id }) => id === uuid.toLowerCase())).toHaveLength(1);
    // Known by its UUID alone: its content is not read again.
    const other = { ...bought, signedAt: daysAgo(1), revokedAt: daysAgo(1) };
    expect(await tell(test_, { uuid, type: 'REFUND', purchase: other })).toMatchObject(accepted);
    expect(await shown(device)).toMatchObject([{ active: true }]);
  });

  test('many notifications of one line at one moment are all stored', async () => {
    const [line, device] = [randomUUID(), randomUUID()];
    const months = Array.from({ length: 12 }, (_, index) => month(line, 30 * index + 5));
    await upload(test_.service, [months[11]!.transactionId], { device });
    const sent = months.map((purchase) => retried(() => tell(test_, { type: 'DID_RENEW', purchase })));
    for (const response of await Promise.all(sent)) expect(response).toMatchObject(accepted);
    expect(await shown(device)).toMatchObject([{ id: line, active: true, purchasedAt: months[0]!.purchasedAt }]);
    expect(await transactionsOf(test_.service, device)).toHaveLength(12);
  });

  test('one that tells of no transaction is kept and counted, also of a kind that nobody knows', async () => {
    const before = (await known(test_)).length;
    expect(await tell(test_, { type: 'TEST' })).toMatchObject(accepted);
    expect(await tell(test_, { type: 'OF_A_LATER_YEAR', subtype: 'NEW' })).toMatchObject(accepted);
    expect((await known(test_)).slice(before)).toMatchObject([
      { type: 'TEST', subtype: null, environment: 'PRODUCTION', fetched: false },
      { type: 'OF_A_LATER_YEAR', subtype: 'NEW' },
    ]);
    const metrics = await test_.service.deps.metrics.registry.metrics();
    expect(metrics).toMatch(/store_notifications_total\{type="TEST",outcome="kept"\} 1/);
    expect(metrics).toMatch(/store_notifications_total\{type="other",outcome="kept"\} 1/);
    expect(metrics).toMatch(/store_notifications_total\{type="DID_RENEW",outcome="stored"\} 13/);
  });

  test('a transaction of a kind that this release does not know changes nothing and is taken', async () => {
    const purchase = aPurchase({ transactionId: randomUUID(), payload: { type: 'Of a later year' } });
    expect(await tell(test_, { type: 'ONE_TIME_CHARGE', purchase })).toMatchObject(accepted);
    const where = { id: purchase.transactionId };
    expect(await test_.service.database.prisma.storeTransaction.count({ where })).toBe(0);
  });

  test('the sandbox is an environment of its own', async () => {
    const [id, device] = [randomUUID(), randomUUID()];
    await upload(test_.service, [id], { device });
    const purchase = aPurchase({ transactionId: id });
    expect(await tell(test_, { type: 'ONE_TIME_CHARGE', environment: 'sandbox', purchase })).toMatchObject(accepted);
    expect(await shown(device)).toMatchObject([{ id, environment: 'SANDBOX', active: true }]);
  });

  test('an application without store credentials takes notifications for its own bundle id', async () => {
    const { service, store } = test_;
    const application = await service.newApplication();
    const { bundleId } = await service.database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
    expect(await tell(test_, { type: 'TEST', bundleId }, application.id)).toMatchObject(accepted);
    const { signedPayload } = signNotification({ type: 'TEST', bundleId: 'com.example.other' }, store.chain);
    const refused = await service.client.send('receiveStoreNotification', {}, { signedPayload }, application.id);
    expect(refused.status).toBe(422);
  });
});

// Each row of the table in docs/server/notification-kinds.md: such a notification is sent, and changes what the row says.
describe('receiveStoreNotification: kinds', () => {
  let notifications: NotificationTest;
  beforeAll(async () => {
    notifications = await startNotificationTest();
  });
  afterAll(() => notifications.stop());

  const day = 86_400_000;
  const days = (count: number) => new Date(Date.now() + count * day);

  interface Case {
    /** The purchase before; undefined where the notification brings the first. */
    before?: FakePurchase;
    told: Omit<Told, 'type' | 'subtype'>;
    /** What of the entitlement is other than before. */
    changes: Record<string, unknown>;
  }

  /** A period of the line: ended, running, or the one after. */
  function period(line: string, number: number, fields: Partial<FakePurchase> = {}): FakePurchase {
    const [from, to] = [-40 + 30 * number, -10 + 30 * number];
    return aPurchase({
      ...{ transactionId: number === 0 ? line : `${line}-${number}`, originalTransactionId: line },
      ...{ kind: 'AUTO_RENEWABLE', purchasedAt: days(from), expiresAt: days(to), signedAt: days(-9), price: 9_990 },
      ...fields,
    });
  }

  const plus = 'com.example.test.plus';
  const renews = (line: string, fields: Partial<FakePurchase> = {}): Case => {
    const next = period(line, 1, { signedAt: days(-8), ...fields });
    const { purchasedAt, expiresAt } = next;
    const changed = { active: true, purchasedAt, expiresAt, storeTransactionIds: [line, next.transactionId] };
    return { before: period(line, 0), told: { purchase: next }, changes: changed };
  };
  const begins = (line: string): Case => ({
    told: { purchase: period(line, 1, { transactionId: line }) },
    changes: { active: true },
  });
  const upgrades = (line: string): Case => {
    const next = period(line, 1, { productId: plus, purchasedAt: days(-1), transactionId: `${line}-2` });
    const { purchasedAt, expiresAt } = next;
    const changes = { productId: plus, purchasedAt, expiresAt, storeTransactionIds: [line, next.transactionId] };
    return { before: period(line, 1, { transactionId: line }), told: { purchase: next }, changes };
  };
  /** The line as it is before, and what the store now says of it. */
  const says =
    (number: number, fields: Partial<FakePurchase>, changes: Record<string, unknown>) =>
    (line: string): Case => {
      const before = period(line, number, { transactionId: line });
      return { before, told: { purchase: { ...before, signedAt: days(-1), ...fields } }, changes };
    };
  const nothing = says(1, {}, {});
  const withoutTransaction =
    (told: Case['told']) =>
    (line: string): Case => ({ before: period(line, 1, { transactionId: line }), told, changes: {} });
  const revokedAt = days(-2);
  const revoked = says(1, { revokedAt }, { active: false, revokedAt });
  const ended = says(0, { autoRenew: false }, { autoRenew: false });

  const cases: Record<string, (line: string) => Case> = {
    'SUBSCRIBED INITIAL_BUY': begins,
    'SUBSCRIBED RESUBSCRIBE': renews,
    DID_RENEW: renews,
    'DID_RENEW BILLING_RECOVERY': (line) => {
      const { before, told, changes } = renews(line);
      return { before: { ...before!, inBillingRetry: true }, told, changes: { ...changes, inBillingRetry: false } };
    },
    OFFER_REDEEMED: (line) => renews(line, { offer: 'PROMOTIONAL' }),
    'OFFER_REDEEMED INITIAL_BUY': begins,
    'OFFER_REDEEMED RESUBSCRIBE': (line) => renews(line, { offer: 'WIN_BACK' }),
    'OFFER_REDEEMED UPGRADE': upgrades,
    'OFFER_REDEEMED DOWNGRADE': nothing,
    DID_CHANGE_RENEWAL_PREF: nothing,
    'DID_CHANGE_RENEWAL_PREF UPGRADE': upgrades,
    'DID_CHANGE_RENEWAL_PREF DOWNGRADE': nothing,
    'DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED': (line) => {
      const { told, before } = nothing(line);
      return { before: { ...before!, autoRenew: false }, told, changes: { autoRenew: true } };
    },
    'DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED': says(1, { autoRenew: false }, { autoRenew: false }),
    DID_FAIL_TO_RENEW: says(0, { inBillingRetry: true }, { inBillingRetry: true, active: false }),
    'DID_FAIL_TO_RENEW GRACE_PERIOD': (line) => {
      const graceExpiresAt = days(3);
      return says(
        0,
        { inBillingRetry: true, graceExpiresAt },
        { inBillingRetry: true, graceExpiresAt, active: true },
      )(line);
    },
    GRACE_PERIOD_EXPIRED: (line) => {
      const grace = { inBillingRetry: true, graceExpiresAt: days(3) };
      const told = says(0, { inBillingRetry: true, graceExpiresAt: days(-1) }, {})(line);
      return {
        ...told,
        before: { ...told.before!, ...grace },
        changes: { active: false, graceExpiresAt: told.told.purchase!.graceExpiresAt },
      };
    },
    'EXPIRED VOLUNTARY': ended,
    'EXPIRED BILLING_RETRY': (line) => {
      const told = ended(line);
      return {
        ...told,
        before: { ...told.before!, inBillingRetry: true },
        changes: { autoRenew: false, inBillingRetry: false },
      };
    },
    'EXPIRED PRICE_INCREASE': ended,
    'EXPIRED PRODUCT_NOT_FOR_SALE': ended,
    REFUND: revoked,
    REFUND_REVERSED: (line) => {
      const { before, told } = nothing(line);
      return { before: { ...before!, revokedAt }, told, changes: { active: true, revokedAt: null } };
    },
    REFUND_DECLINED: nothing,
    REVOKE: (line) => {
      const told = revoked(line);
      const shared = { familyShared: true };
      return {
        ...told,
        before: { ...told.before!, ...shared },
        told: { purchase: { ...told.told.purchase!, ...shared } },
      };
    },
    CONSUMPTION_REQUEST: nothing,
    RENEWAL_EXTENDED: says(1, { expiresAt: days(40) }, {}),
    'RENEWAL_EXTENSION SUMMARY': withoutTransaction({
      instead: {
        name: 'summary',
        fields: { requestIdentifier: randomUUID(), productId: plus, succeededCount: 5, failedCount: 0 },
      },
    }),
    'RENEWAL_EXTENSION FAILURE': nothing,
    'PRICE_INCREASE PENDING': nothing,
    'PRICE_INCREASE ACCEPTED': nothing,
    PRICE_CHANGE: nothing,
    METADATA_UPDATE: nothing,
    MIGRATION: nothing,
    ONE_TIME_CHARGE: (line) => ({ told: { purchase: aPurchase({ transactionId: line }) }, changes: { active: true } }),
    'EXTERNAL_PURCHASE_TOKEN UNREPORTED': withoutTransaction({
      instead: {
        name: 'externalPurchaseToken',
        fields: { externalPurchaseId: randomUUID(), tokenCreationDate: Date.now() },
      },
    }),
    RESCIND_CONSENT: withoutTransaction({
      instead: { name: 'appData', fields: { signedAppTransactionInfo: 'e30.e30.e30' } },
    }),
    TEST: withoutTransaction({}),
  };

  const nameOf = ({ type, subtype }: { type: string; subtype: string | null }) =>
    subtype === null ? type : `${type} ${subtype}`;
  const kinds = kindsOfPage();

  test('each row of the table has a case here', () => {
    expect(Object.keys(cases).sort()).toEqual(kinds.map(nameOf).sort());
  });

  test.each(kinds.map((kind) => [nameOf(kind), kind] as const))('%s', async (name, { type, subtype, change }) => {
    const { service } = notifications;
    const [line, device] = [randomUUID(), randomUUID()];
    const { before, told, changes } = cases[name]!(line);
    await upload(service, [line], { device });
    if (before) await tell(notifications, { type: 'A_FIRST_ONE', purchase: before });
    const [shown] = await entitlementsOf(service, device);
    expect(shown === undefined).toBe(before === undefined);
    const sent = { type, ...(subtype !== null && { subtype }), ...told };
    expect(await tell(notifications, sent)).toMatchObject({ status: 200, body: {} });
    const later = (await entitlementsOf(service, device))[0]!;
    if (name === 'RENEWAL_EXTENDED') {
      expect(later.expiresAt!.getTime()).toBeGreaterThan(shown!.expiresAt!.getTime());
      changes['expiresAt'] = later.expiresAt;
    }
    expect(later).toEqual({ ...(shown ?? later), ...changes });
    expect(change.startsWith('nothing')).toBe(Object.keys(changes).length === 0);
  });
});

// POST /api/v1/store/notifications/{applicationId}: every refusal.
describe('receiveStoreNotification: refusals', () => {
  let notifications: NotificationTest;
  let forged: Chain;
  beforeAll(async () => {
    notifications = await startNotificationTest();
    forged = await mintChain();
  });
  afterAll(() => notifications.stop());

  const bundleId = 'com.example.test';
  const refused = { status: 422 };
  const purchase = () => aPurchase({ transactionId: randomUUID() });
  const send = (body: unknown, headers: Record<string, string> = {}, id = notifications.service.application.id) =>
    notifications.service.client.send('receiveStoreNotification', headers, body, id);

  test("in production the store's number of the app counts once it is set, and the sandbox has none", async () => {
    const { service } = notifications;
    const { prisma } = service.database;
    const setNumber = (storeAppId: string | null) =>
      prisma.application.update({ where: { id: service.application.id }, data: { storeAppId } });
    await setNumber(String(fakeAppId + 1));
    expect(await tell(notifications, { type: 'TEST' })).toMatchObject(refused);
    expect(await tell(notifications, { type: 'TEST', environment: 'sandbox' })).toMatchObject({ status: 200 });
    await setNumber(String(fakeAppId));
    expect(await tell(notifications, { type: 'TEST' })).toMatchObject({ status: 200 });
    await setNumber(null);
    expect(await tell(notifications, { type: 'TEST', appId: 77 })).toMatchObject({ status: 200 });
  });

  test.each<[string, unknown, string[]]>([
    ['no payload', {}, ['signedPayload']],
    ['null', { signedPayload: null }, ['signedPayload']],
    ['a number', { signedPayload: 1 }, ['signedPayload']],
    ['no object', [], ['']],
    ['no JSON', Buffer.from('{'), ['']],
  ])('422 for a body with %s', async (_, body, paths) => {
    const response = await send(body);
    expect(response.status).toBe(422);
    expect(pathsOf(response)).toEqual(paths);
  });

  test('415 for another media type', async () => {
    expect((await send(Buffer.from('{}'), { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  test('413 beyond 256 KiB, as sent and after inflating, before anything of it is read', async () => {
    const tooLarge = { status: 413, body: { unit: 'bytes', limit: 262_144 } };
    expect(await send(Buffer.alloc(262_145, ' '))).toMatchObject(tooLarge);
    expect(await send(gzipSync(Buffer.alloc(262_145, ' ')), { 'Content-Encoding': 'gzip' })).toMatchObject(tooLarge);
    expect((await send(Buffer.alloc(262_144, ' '))).status).toBe(422);
  });

  test.each([
    randomUUID(),
    'x',
    '%00',
    "'",
    'ffffffff-ffff-ffff-ffff-fffffffffff',
    '..%2f',
    randomUUID().toUpperCase(),
  ])('404 for the unknown application %s, before the body is read', async (id) => {
    const response = await send(Buffer.from('{'), { 'Content-Type': 'text/plain' }, id);
    expect(response).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
  });

  test.each(['', 'a/b', '/'])('404 without a route for the rest %p', async (rest) => {
    const response = await fetch(`${notifications.service.url}/api/v1/store/notifications/${rest}`, {
      method: 'POST',
      body: '{}',
    });
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Not Found' }]);
  });

  test('404 at once for a deleted application', async () => {
    const { service } = notifications;
    const { id } = await service.newApplication();
    await service.database.prisma.application.update({ where: { id }, data: { deletedAt: new Date() } });
    expect(await send({ signedPayload: 'x' }, {}, id)).toMatchObject({ status: 404 });
  });

  test('503 without root certificates', async () => {
    await using service = await startTestService();
    const { signedPayload } = signNotification({ type: 'TEST', bundleId }, notifications.store.chain);
    const response = await tellText({ service }, signedPayload);
    expect(response).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('503 without a database, and the same notification is stored when it comes again', async () => {
    let away = true;
    const failure = Object.assign(new Error('for this test'), { code: 'ECONNREFUSED' });
    const test = await startNotificationTest({
      change: (deps) => ({
        ...deps,
        storeNotifications: {
          find: (id) => (away ? Promise.reject(failure) : deps.storeNotifications.find(id)),
          receive: (...sent) => deps.storeNotifications.receive(...sent),
        },
      }),
    });
    try {
      const told = { uuid: randomUUID(), type: 'ONE_TIME_CHARGE', purchase: purchase() };
      expect(await tell(test, told)).toMatchObject({ status: 503 });
      expect(await known(test)).toEqual([]);
      away = false;
      expect(await tell(test, told)).toMatchObject({ status: 200 });
      expect(await known(test)).toMatchObject([{ id: told.uuid }]);
    } finally {
      await test.stop();
    }
  });

  test('500 when the service fails, and nothing of the notification is stored', async () => {
    const test = await startNotificationTest();
    try {
      await test.service.database.pool.query('ALTER TABLE store_entitlements RENAME TO away');
      const told = { uuid: randomUUID(), type: 'ONE_TIME_CHARGE', purchase: purchase() };
      expect(await tell(test, told)).toMatchObject({ status: 500 });
      expect(await known(test)).toEqual([]);
    } finally {
      await test.stop();
    }
  });

  test('ids that somebody invents never stand before a notification that is to be verified', async () => {
    const { pool } = notifications.service.database;
    const lock = await holdLock(pool, 'LOCK TABLE applications IN ACCESS EXCLUSIVE MODE');
    const invented = Array.from({ length: 200 }, () => send({}, {}, randomUUID()));
    // One statement looks for one of them. All others wait for it together, and so does the honest notification.
    await lock.waiting(1);
    const honest = tell(notifications, { uuid: randomUUID(), type: 'ONE_TIME_CHARGE', purchase: purchase() });
    await lock.release();
    expect(await honest).toMatchObject({ status: 200 });
    expect(new Set((await Promise.all(invented)).map(({ status }) => status))).toEqual(new Set([404]));
  });

  test('beside 200 connections that send {} to invented ids, each honest notification is stored', async () => {
    let isOver = false;
    const statuses: number[] = [];
    const flood = Array.from({ length: 200 }, async () => {
      while (!isOver) statuses.push((await send({}, {}, randomUUID())).status);
    });
    const told: number[] = [];
    for (let count = 0; count < 20; count++)
      told.push((await tell(notifications, { uuid: randomUUID(), type: 'TEST' })).status);
    isOver = true;
    await Promise.all(flood);
    expect(told).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(statuses)).toEqual(new Set([404]));
  });

  test('beside 200 forged notifications of one application, those of another take their turns', async () => {
    const { service, store } = notifications;
    const other = await service.newApplication();
    const { signedPayload } = signNotification({ type: 'TEST', bundleId, chain: forged }, store.chain);
    // Held while they verify and store: the forged ones fill the line.
    const lock = await holdLock(service.database.pool, 'LOCK TABLE store_notifications IN ACCESS EXCLUSIVE MODE');
    const storing = Array.from({ length: 3 }, () => tell(notifications, { uuid: randomUUID(), type: 'TEST' }));
    await lock.waiting(3);
    const forgery = Array.from({ length: 200 }, () => tellText(notifications, signedPayload));
    const honest = tell(notifications, { uuid: randomUUID(), type: 'TEST' }, other.id);
    const refusals = Promise.all(forgery);
    await Promise.race(forgery);
    await lock.release();
    expect(await honest).toMatchObject({ status: 200 });
    expect((await Promise.all(storing)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set((await refusals).map(({ status }) => status))).toEqual(new Set([422, 503]));
  });

  test('a flood of forged notifications leaves uploads their connections', async () => {
    const { service } = notifications;
    const { signedPayload } = signNotification({ type: 'TEST', bundleId, chain: forged }, notifications.store.chain);
    const { pool } = service.database;
    const lock = await holdLock(pool, 'LOCK TABLE applications IN ACCESS EXCLUSIVE MODE');
    const flood = Array.from({ length: 300 }, () => tellText(notifications, signedPayload));
    // One of the pool's ten connections looks for the application, and one holds the lock.
    await lock.waiting(1);
    await Promise.all(
      Array.from({ length: 6 }, () => inTransaction(pool, (transaction) => transaction.query('SELECT pg_sleep(0.1)'))),
    );
    await lock.release();
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
    expect([...statuses].filter((status) => ![422, 503].includes(status))).toEqual([]);
  });
});

// POST /api/v1/store/notifications/{applicationId}: what an attacker without a key can send is refused, and nothing of it is stored.
describe('receiveStoreNotification: forged', () => {
  let notifications: NotificationTest;
  let forged: Chain;
  beforeAll(async () => {
    notifications = await startNotificationTest();
    forged = await mintChain();
  });
  afterAll(() => notifications.stop());

  const bundleId = 'com.example.test';
  const refused = { status: 422 };
  const purchase = () => aPurchase({ transactionId: randomUUID() });
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  function payloadOf(transactionId: string): Record<string, unknown> {
    const { store } = notifications;
    const told = { type: 'ONE_TIME_CHARGE', bundleId, purchase: aPurchase({ transactionId }) };
    const [, payload] = signNotification(told, store.chain).signedPayload.split('.');
    return JSON.parse(Buffer.from(payload!, 'base64url').toString()) as Record<string, unknown>;
  }

  describe('422 at signedPayload', () => {
    afterEach(async () => expect(await known(notifications)).toEqual([]));

    test.each<[string, () => Parameters<typeof tell>[1]]>([
      ['signed under another root', () => ({ type: 'ONE_TIME_CHARGE', purchase: purchase(), chain: forged })],
      ['for another bundle', () => ({ type: 'TEST', bundleId: 'com.example.other' })],
      ['from a developer tool', () => ({ type: 'TEST', payload: dataOf({ environment: 'Xcode' }) })],
      ['from no environment', () => ({ type: 'TEST', payload: dataOf({ environment: 'LocalTesting' }) })],
      ['without content', () => ({ type: 'TEST', payload: { data: undefined } })],
      ['without a UUID', () => ({ type: 'TEST', payload: { notificationUUID: undefined } })],
      ['with another id in its place', () => ({ type: 'TEST', payload: { notificationUUID: '1' } })],
      [
        'whose transaction is for another bundle',
        () => ({ type: 'REFUND', purchase: { ...purchase(), bundleId: 'a.b' } }),
      ],
      [
        'whose transaction is of the sandbox',
        () => ({ type: 'REFUND', purchase: { ...purchase(), environment: 'Sandbox' } }),
      ],
      [
        'whose transaction is cut off',
        () => ({ type: 'REFUND', payload: dataOf({ signedTransactionInfo: 'e30.e30.e30' }) }),
      ],
    ])('a notification %s', async (_, told) => {
      const response = await tell(notifications, told());
      expect(response).toMatchObject(refused);
      expect(pathsOf(response)).toEqual(['signedPayload']);
    });

    const dataOf = (fields: Record<string, unknown>) => ({
      data: { appAppleId: fakeAppId, bundleId, environment: 'Production', ...fields },
    });

    test('a transaction forged inside a payload of the store', async () => {
      const signing = { chain: forged, environment: 'production', bundleId } as const;
      const data = dataOf({ signedTransactionInfo: signedTransaction(purchase(), signing) });
      expect(await tell(notifications, { type: 'REFUND', payload: data })).toMatchObject(refused);
    });

    test('a signed transaction, which any customer has on the device, is no notification', async () => {
      const signing = { chain: notifications.store.chain, environment: 'production', bundleId } as const;
      expect(await tellText(notifications, signedTransaction(purchase(), signing))).toMatchObject(refused);
    });

    const texts: [string, () => string][] = [
      ['nothing', () => ''],
      ['junk of 256 kB', () => 'x'.repeat(250_000)],
      ['dots', () => '.'.repeat(250_000)],
      ['three parts of junk', () => `${'x'.repeat(80_000)}.${'y'.repeat(80_000)}.${'z'.repeat(80_000)}`],
      ['alg none', () => `${encode({ alg: 'none' })}.${encode(payloadOf('a'))}.`],
      ['alg none with the chain of the store', () => unsigned({ alg: 'none', x5c: notifications.store.chain.x5c })],
      [
        'no signature under the chain of the store',
        () => unsigned({ alg: 'ES256', x5c: notifications.store.chain.x5c }),
      ],
      ['HS256 keyed with the public key', () => hs256()],
      ['another payload under a genuine signature', () => swapped()],
      ['a chain of a thousand certificates', () => chained(Array(1_000).fill(''))],
      ['a chain of one certificate', () => chained(notifications.store.chain.x5c.slice(0, 1))],
      ['a chain of long junk', () => chained(Array(3).fill('A'.repeat(60_000)))],
      ['a chain of short junk', () => chained(Array(3).fill('QUJD'))],
      ['a chain that is no list', () => chained({ length: 3 } as never)],
      ['a chain of numbers', () => chained([1, 2, 3] as never)],
      ['the root of the store behind a forged leaf', () => spliced()],
      ['a header nested 60,000 deep', () => `${deep()}.${encode({})}.x`],
      ['a payload nested 60,000 deep', () => `${encode({ alg: 'ES256', x5c: ['a', 'b', 'c'] })}.${deep()}.x`],
    ];

    test.each(texts)('%s', async (_, text) => {
      const before = process.cpuUsage();
      const response = await tellText(notifications, text());
      expect(response).toMatchObject(refused);
      expect(pathsOf(response)).toEqual(['signedPayload']);
      // Processor time: that of the clock depends on the other tests.
      const { user, system } = process.cpuUsage(before);
      expect(user + system).toBeLessThan(1_500_000);
    });

    const deep = () => Buffer.from(`${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`).toString('base64url');
    const unsigned = (header: unknown) => `${encode(header)}.${encode(payloadOf('b'))}.`;
    const chained = (x5c: readonly string[]) => signedBy(forged, x5c);
    const spliced = () => signedBy(forged, [forged.x5c[0], ...notifications.store.chain.x5c.slice(1)]);

    function signedBy({ leafKey }: Chain, x5c: readonly string[]): string {
      const signed = `${encode({ alg: 'ES256', x5c })}.${encode(payloadOf('c'))}`;
      const signature = sign('sha256', Buffer.from(signed), { key: leafKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    }

    function hs256(): string {
      const { x5c } = notifications.store.chain;
      const signed = `${encode({ alg: 'HS256', x5c })}.${encode(payloadOf('d'))}`;
      const key = `-----BEGIN CERTIFICATE-----\n${x5c[0]}\n-----END CERTIFICATE-----`;
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
    }

    function swapped(): string {
      const genuine = signNotification({ type: 'TEST', bundleId }, notifications.store.chain).signedPayload.split('.');
      return [genuine[0], encode(payloadOf('e')), genuine[2]].join('.');
    }

    test("another application's notification, unless both have one bundle id", async () => {
      const other = await notifications.service.newApplication();
      const { signedPayload } = signNotification({ type: 'TEST', bundleId }, notifications.store.chain);
      const { prisma } = notifications.service.database;
      await prisma.application.update({ where: { id: other.id }, data: { bundleId: 'com.example.another' } });
      expect(await tellText(notifications, signedPayload, other.id)).toMatchObject(refused);
      await prisma.application.update({ where: { id: other.id }, data: { bundleId } });
      expect(await tellText(notifications, signedPayload, other.id)).toMatchObject({ status: 200 });
    });
  });
});
