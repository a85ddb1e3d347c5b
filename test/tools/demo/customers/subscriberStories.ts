// The stories of subscriptions that renew, end, fail to renew or are refunded. Together they have every state of a line.
import {
  after,
  firstPhone,
  periods,
  products,
  renewalOf,
  secondPhone,
  strangersPhone,
  type Setting,
  type Story,
} from './story.ts';

type Tell = (name: string, setting: Setting) => Story;

/** The introductory offer becomes the full price. The look-up at the period's end finds it. */
const introductory: Tell = (name, { periodEnd }) => {
  const [first] = periods(name, { product: products.monthly, end: periodEnd });
  const offer = { offer: 'INTRODUCTORY', offerMode: 'PAY_UP_FRONT', price: 990 } as const;
  const visits = [firstPhone(name, name)];
  const later = { changes: [{ sells: [renewalOf(first!)] }], visits: [secondPhone(name, name)] };
  return { name, sold: [{ ...first!, ...offer }], visits, later };
};

/** The app reports the first id after three renewals. A stranger reports it too. */
const longstanding: Tell = (name, { startedAt }) => ({
  name,
  sold: periods(name, { product: products.monthly, end: after(startedAt, 25), count: 4 }),
  visits: [firstPhone(name, name), strangersPhone(name, name)],
});

/** The store renews an hour before the end, and notifies the service. */
const renewed: Tell = (name, { startedAt }) => {
  const sold = periods(name, { product: products.yen, end: after(startedAt, 1 / 24) });
  const changes = [{ sells: [renewalOf(sold[0]!)], notice: { type: 'DID_RENEW' } }];
  return { name, sold, visits: [firstPhone(name, name)], later: { changes } };
};

/** The customer upgrades in the app, which reports the new transaction. */
const upgraded: Tell = (name, { startedAt }) => {
  const sold = periods(name, { product: products.basic, end: after(startedAt, 20) });
  const upgrade = { ...renewalOf(sold[0]!, products.monthly), purchasedAt: startedAt, expiresAt: after(startedAt, 30) };
  const changes = [{ sells: [{ ...sold[0]!, payload: { isUpgraded: true } }, upgrade] }];
  const visits = [firstPhone(name, upgrade.transactionId)];
  return { name, sold, visits: [firstPhone(name, name)], later: { changes, visits } };
};

const inGrace: Tell = (name, { periodEnd }) => {
  const sold = periods(name, { product: products.monthly, end: periodEnd });
  const changes = [{ sells: [{ ...sold[0]!, inBillingRetry: true, graceExpiresAt: after(periodEnd, 16) }] }];
  return { name, sold, visits: [firstPhone(name, name)], later: { changes } };
};

const inGraceNotified: Tell = (name, setting) => {
  const story = inGrace(name, setting);
  const notice = { type: 'DID_FAIL_TO_RENEW', subtype: 'GRACE_PERIOD' };
  return { ...story, later: { changes: [{ ...story.later!.changes[0]!, notice }] } };
};

const inBillingRetry: Tell = (name, { periodEnd }) => {
  const sold = periods(name, { product: products.monthly, end: periodEnd });
  const notice = { type: 'DID_FAIL_TO_RENEW' };
  const changes = [{ sells: [{ ...sold[0]!, inBillingRetry: true }], notice }];
  return { name, sold, visits: [firstPhone(name, name)], later: { changes } };
};

/** The grace is over before the app reports anything. */
const longInBillingRetry: Tell = (name, { startedAt }) => {
  const [first] = periods(name, { product: products.basic, end: after(startedAt, -20) });
  const sold = [{ ...first!, inBillingRetry: true, graceExpiresAt: after(startedAt, -4) }];
  return { name, sold, visits: [firstPhone(name, name)] };
};

/** The customer cancels. The look-up at the period's end finds it. */
const expired: Tell = (name, { periodEnd }) => {
  const sold = periods(name, { product: products.monthly, end: periodEnd });
  const changes = [{ sells: [{ ...sold[0]!, autoRenew: false }] }];
  return { name, sold, visits: [firstPhone(name, name)], later: { changes } };
};

const longExpired: Tell = (name, { startedAt }) => {
  const sold = periods(name, { product: products.basic, end: after(startedAt, -40), count: 2 });
  return { name, sold: sold.map((each) => ({ ...each, autoRenew: false })), visits: [firstPhone(name, name)] };
};

const refunded: Tell = (name, { startedAt }) => {
  const sold = periods(name, { product: products.monthly, end: after(startedAt, 20) });
  const changes = [{ sells: [{ ...sold[0]!, ...refund(startedAt) }], notice: { type: 'REFUND' } }];
  return { name, sold, visits: [firstPhone(name, name)], later: { changes } };
};

/** The store refunds the period before the present one. The history at the period's end has it. */
const refundedBefore: Tell = (name, { startedAt, periodEnd }) => {
  const sold = periods(name, { product: products.monthly, end: periodEnd, count: 2 });
  const changes = [{ sells: [{ ...sold[0]!, ...refund(startedAt) }, renewalOf(sold[1]!)] }];
  return { name, sold, visits: [firstPhone(name, name)], later: { changes } };
};

export function refund(revokedAt: Date) {
  return { revokedAt, payload: { revocationReason: 0, revocationType: 'REFUND_FULL', revocationPercentage: 100_000 } };
}

export const subscriberStories: Record<string, Tell> = {
  ...{ introductory, longstanding, renewed, upgraded, inGrace, inGraceNotified, inBillingRetry, longInBillingRetry },
  ...{ expired, longExpired, refunded, refundedBefore },
};
