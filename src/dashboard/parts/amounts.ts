// Sums and differences of exact amounts: decimal texts in, decimal text out, without a double between.

/** In units of the last of `places` digits after the point. */
function unitsOf(amount: string, places: number): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return amount.startsWith('-') ? -units : units;
}

const placesOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

function textOf(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const fraction = places === 0 ? '' : `.${digits.slice(-places)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}${fraction}`;
}

export function sumOf(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map(placesOf));
  const sum = amounts.reduce((all, amount) => all + unitsOf(amount, places), 0n);
  return textOf(sum, places);
}

export function minus(amount: string, less: string): string {
  return sumOf([amount, less.startsWith('-') ? less.slice(1) : `-${less}`]);
}

export function times(amount: string, quantity: number): string {
  const places = placesOf(amount);
  return textOf(unitsOf(amount, places) * BigInt(quantity), places);
}

/** To so many places, half away from zero: no Intl is asked to round what it would first make a double. */
export function rounded(amount: string, places: number): string {
  const own = placesOf(amount);
  if (own <= places) return amount;
  const [units, least] = [unitsOf(amount, own), 10n ** BigInt(own - places)];
  const half = units < 0n ? -least : least;
  return textOf((units * 2n + half) / (least * 2n), places);
}
