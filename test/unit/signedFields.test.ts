// The fields of the store's signed data in this service's terms: each value that the store documents, and those it does not.
import { renewalOf, transactionOf, type TransactionFields } from '../../src/purchases/signedFields.ts';

const signed: TransactionFields = {
  ...{ transactionId: '2', originalTransactionId: '1', productId: 'pro', type: 'Auto-Renewable Subscription' },
  ...{ purchaseDate: 1_789_000_000_000, signedDate: 1_789_000_001_000 },
};
const read = (fields: TransactionFields) => transactionOf({ ...signed, ...fields });

test('what the store leaves out is null, one, the plain price and the own purchase', () => {
  expect(read({})).toEqual({
    ...{ transactionId: '2', originalTransactionId: '1', productId: 'pro', kind: 'AUTO_RENEWABLE' },
    ...{ purchasedAt: new Date(1_789_000_000_000), signedAt: new Date(1_789_000_001_000), expiresAt: null },
    ...{ revokedAt: null, revocationReason: null, revocationType: null, revocationPercent: null },
    ...{ priceMilli: null, currency: null, quantity: 1, ownership: 'PURCHASED' },
    ...{ offer: 'NONE', offerMode: null, storefront: null, accountToken: null, upgraded: false },
  });
});

test.each([
  ['type', 'Consumable', { kind: 'CONSUMABLE' }],
  ['type', 'Non-Consumable', { kind: 'NON_CONSUMABLE' }],
  ['type', 'Non-Renewing Subscription', { kind: 'NON_RENEWING' }],
  ['offerType', 1, { offer: 'INTRODUCTORY' }],
  ['offerType', 2, { offer: 'PROMOTIONAL' }],
  ['offerType', 3, { offer: 'CODE' }],
  ['offerType', 4, { offer: 'WIN_BACK' }],
  ['offerType', 5, { offer: 'NONE' }],
  ['offerDiscountType', 'FREE_TRIAL', { offerMode: 'FREE_TRIAL' }],
  ['offerDiscountType', 'PAY_AS_YOU_GO', { offerMode: 'PAY_AS_YOU_GO' }],
  ['offerDiscountType', 'PAY_UP_FRONT', { offerMode: 'PAY_UP_FRONT' }],
  ['offerDiscountType', 'ONE_TIME', { offerMode: 'ONE_TIME' }],
  ['offerDiscountType', 'LATER', { offerMode: null }],
  ['revocationReason', 0, { revocationReason: 'OTHER' }],
  ['revocationReason', 1, { revocationReason: 'APP_ISSUE' }],
  ['revocationReason', 2, { revocationReason: null }],
  ['revocationType', 'REFUND_FULL', { revocationType: 'REFUND_FULL' }],
  ['revocationType', 'REFUND_PRORATED', { revocationType: 'REFUND_PRORATED' }],
  ['revocationType', 'FAMILY_REVOKE', { revocationType: 'FAMILY_REVOKE' }],
  ['revocationType', 'LATER', { revocationType: null }],
  ['revocationPercentage', 33_333, { revocationPercent: 33.333 }],
  ['inAppOwnershipType', 'FAMILY_SHARED', { ownership: 'FAMILY_SHARED' }],
  ['inAppOwnershipType', 'PURCHASED', { ownership: 'PURCHASED' }],
  ['quantity', 5, { quantity: 5 }],
  ['price', 9_990, { priceMilli: 9_990 }],
  ['price', 0.5, { priceMilli: null }],
  ['price', -1, { priceMilli: null }],
  ['currency', 'EUR', { currency: 'EUR' }],
  ['currency', 'E'.repeat(100_000), { currency: null }],
  ['appAccountToken', 'a'.repeat(257), { accountToken: null }],
])('%s %p', (name, value, shown) => expect(read({ [name]: value })).toMatchObject(shown));

test.each(['transactionId', 'originalTransactionId', 'productId', 'purchaseDate', 'signedDate'])(
  'without %s it is incomplete',
  (name) => expect(read({ [name]: undefined })).toBe('incomplete_transaction'),
);

test('a type of a later year is an unknown kind', () => expect(read({ type: 'Rental' })).toBe('unknown_kind'));

test('a renewal of another line is none, and without a date it counts as signed with its transaction', () => {
  const signedBeside = new Date(signed.signedDate!);
  expect(renewalOf({ originalTransactionId: '9', autoRenewStatus: 1 }, '1', signedBeside)).toBeNull();
  expect(renewalOf({ autoRenewStatus: 0, isInBillingRetryPeriod: true }, '1', signedBeside)).toEqual({
    lineId: '1',
    autoRenew: false,
    inBillingRetry: true,
    expired: false,
    graceExpiresAt: null,
    signedAt: signedBeside,
  });
});

// Values that nobody expects: what the service cannot store counts as absent.

test.each(['constructor', '__proto__', 'toString', ''])('the kind %j is unknown', (type) => {
  expect(read({ type })).toBe('unknown_kind');
});

const unstorable = ['a\0b', 'a\ud800b', ''];
test.each(unstorable)('without the text %j a transaction is incomplete', (text) => {
  for (const name of ['transactionId', 'originalTransactionId', 'productId']) {
    expect(read({ [name]: text })).toBe('incomplete_transaction');
  }
});

test.each(unstorable)('the currency, account token and storefront %j are absent', (text) => {
  const absent = { currency: null, accountToken: null, storefront: null };
  expect(read({ currency: text, appAccountToken: text, storefront: text })).toMatchObject(absent);
});

test.each<[string, string | null]>([
  ['DEU', 'DE'],
  ['XKS', 'XK'],
  ['XXX', null],
  ['deu', null],
  ['__proto__', null],
  ['constructor', null],
])('the storefront %s is %s', (storefront, country) => {
  expect(read({ storefront })).toMatchObject({ storefront: country });
});

test.each([0, -1, 1.5, 2 ** 31])('a quantity of %d counts as one', (quantity) => {
  expect(read({ quantity })).toMatchObject({ quantity: 1 });
});
