// What the service reads of signed fields whose values nobody expects: what it cannot store counts as absent.
import { transactionOf, type TransactionFields } from '../../src/purchases/signedFields.ts';

const fields: TransactionFields = {
  ...{ transactionId: '1', originalTransactionId: '1', productId: 'gold', type: 'Consumable' },
  ...{ purchaseDate: 1_700_000_000_000, signedDate: 1_700_000_000_000 },
};
const read = (changed: TransactionFields) => transactionOf({ ...fields, ...changed });

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
