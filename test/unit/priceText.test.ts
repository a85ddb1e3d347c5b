// A price as decimal text: in units of its currency, with the digits of ISO 4217 or more.
import { priceText } from '../../src/purchases/priceText.ts';

test.each([
  [9_990, 'EUR', '9.99'],
  [0, 'EUR', '0.00'],
  [5_000, 'USD', '5.00'],
  [12_345, 'EUR', '12.345'],
  [1_500_000, 'JPY', '1500'],
  [1_500, 'JPY', '1.5'],
  [1_500, 'KWD', '1.500'],
  [9_990, null, '9.99'],
  [9_990, 'no currency', '9.99'],
  [null, 'EUR', null],
])('%p thousandths of %p are %p', (milli, currency, text) => expect(priceText(milli, currency)).toBe(text));
