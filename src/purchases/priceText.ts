// A price as decimal text in units of its currency (pure).
import { digitsOf } from '../platform/currencyDigits.ts';

/** With the digits that the currency has after the point (ISO 4217), or more where the price has more. */
export function priceText(milli: number | null, currency: string | null): string | null {
  if (milli === null) return null;
  const digits = Math.max(
    digitsOf(currency),
    [0, 1, 2, 3].find((count) => milli % 10 ** (3 - count) === 0)!,
  );
  return (milli / 1_000).toFixed(Math.min(digits, 3));
}
