// How many digits a currency has after the point (pure).

/** By ISO 4217: 2 for EUR, 0 for JPY. */
export function digitsOf(currency: string | null): number {
  if (currency === null) return 2;
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
