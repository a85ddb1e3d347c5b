// Each row of the table in docs/server/notification-kinds.md: such a notification is sent, and changes what the row says.
import { randomUUID } from 'node:crypto';
import { aPurchase } from '../support/fakeStore.ts';
import { kindsOfPage } from '../support/notificationKinds.ts';
import { entitlementsOf, upload } from '../support/purchases.ts';
import { startNotificationTest, tell, type NotificationTest, type Told } from '../support/storeNotifications.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';

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
