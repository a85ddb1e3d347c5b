// The stories of families, of an account token, and of purchases that are no subscription.
import { randomUUID } from 'node:crypto';
import { notFound } from '../fakeStore/fakeStore.ts';
import type { FakePurchase } from '../fakeStore/signedData.ts';
import { after, firstPhone, periods, products, secondPhone, strangersPhone } from './story.ts';
import type { Setting, Story } from './story.ts';
import { refund } from './subscriberStories.ts';

type Tell = (name: string, setting: Setting) => Story;

/** The store gives each member a line of his own, without a price. It takes one member's share back. */
const family: Tell = (name, { startedAt }) => {
  const end = after(startedAt, 20);
  const share = { productId: products.family.productId, kind: products.family.kind, familyShared: true };
  const [ann, ben] = ['ann', 'ben'].map((member) => periods(`${name}-${member}`, { product: share, end })[0]!);
  const payload = { revocationReason: 0, revocationType: 'FAMILY_REVOKE' };
  const left = { ...ben!, revokedAt: startedAt, payload };
  const members = [ann!, ben!].map(({ transactionId }) => ({
    ...firstPhone(transactionId, transactionId),
    phone: transactionId,
  }));
  return {
    name,
    sold: [...periods(name, { product: products.family, end }), ann!, ben!],
    visits: [firstPhone(name, name), ...members],
    later: { changes: [{ sells: [left], notice: { type: 'REVOKE' } }] },
  };
};

/** A stranger reports the id first. The store's account token names the buyer. */
const accountToken: Tell = (name, { startedAt }) => {
  const externalId = randomUUID();
  const sold = periods(name, { product: products.monthly, end: after(startedAt, 20) });
  return {
    name,
    sold: sold.map((each) => ({ ...each, accountToken: externalId })),
    visits: [strangersPhone(name, name), firstPhone(externalId.toUpperCase(), name)],
  };
};

const coinsAndFullVersion: Tell = (name, { startedAt }) => {
  const bought = after(startedAt, -3);
  const coins = { ...products.coins, transactionId: `${name}-coins`, purchasedAt: bought, quantity: 5, price: 4_950 };
  const full = { ...products.fullVersion, transactionId: `${name}-full`, purchasedAt: bought };
  const ids = [coins.transactionId, full.transactionId];
  const later = { changes: [], visits: [secondPhone(name, full.transactionId)] };
  return { name, sold: [coins, full], visits: [firstPhone(name, ...ids)], later };
};

const refundedFullVersion: Tell = (name, { startedAt }) => {
  const bought: FakePurchase = { ...products.fullVersion, transactionId: name, purchasedAt: after(startedAt, -3) };
  const changes = [{ sells: [{ ...bought, ...refund(startedAt) }], notice: { type: 'REFUND' } }];
  return { name, sold: [bought], visits: [firstPhone(name, name)], later: { changes } };
};

/** The pass lasts 30 days (`productEdit`). One is over. */
const passes: Tell = (name, { startedAt }) => {
  const ages = [10, 400];
  const sold = ages.map((days) => ({
    ...{ ...products.pass, transactionId: `${name}-${days}`, purchasedAt: after(startedAt, -days) },
  }));
  return { name, sold, visits: [firstPhone(name, ...sold.map(({ transactionId }) => transactionId))] };
};

/** The store learns of the purchase after the app. */
const lateStore: Tell = (name, { startedAt }) => {
  const purchase: FakePurchase = { ...products.fullVersion, transactionId: name, purchasedAt: startedAt };
  const responses = { [name]: { production: [notFound, { purchase }], sandbox: [notFound] } };
  return { name, sold: [purchase], results: responses, visits: [firstPhone(name, name)] };
};

export const otherStories: Record<string, Tell> = {
  ...{ family, accountToken, coinsAndFullVersion, refundedFullVersion, passes, lateStore },
};
