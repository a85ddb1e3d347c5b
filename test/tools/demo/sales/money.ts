// Sums of money as decimal text, for the closing table. Sums are whole thousandths, so that nothing is rounded.

/** Throws for text that is no price: `9.99`, `1500`. */
export function milliOf(price: string): number {
  const match = /^(\d+)(?:\.(\d{1,3}))?$/.exec(price);
  if (!match) throw new Error(`"${price}" is no price in decimal text.`);
  return Number(match[1]) * 1_000 + Number((match[2] ?? '').padEnd(3, '0'));
}

export function grossText(milli: number, currency: string | null): string {
  if (currency === null) return '–';
  const { maximumFractionDigits: digits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${(milli / 1_000).toFixed(digits)} ${currency}`;
}
