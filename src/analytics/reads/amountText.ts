// An exact amount as decimal text in units of its currency (pure).
import { digitsOf } from '../../platform/currencyDigits.ts';

/** `amount` × 10^-`places`, with the digits that the currency has after the point, or more where the amount has more. */
export function amountText(amount: bigint, places: number, currency: string): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places)];
  const least = Math.min(digitsOf(currency), places);
  const shown = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${shown === '' ? '' : '.'}${shown}`;
}
