// Versions as people write them, and as the whole numbers that devices compare.

/** `2.14.3` becomes `2014003`, the encoding that the SDK recommends; other text stays as it is. */
export function numbered(text: string): string {
  const parts = /^(\d+)\.(\d{1,3})(?:\.(\d{1,3}))?$/.exec(text.trim());
  if (!parts) return text.trim();
  return String(Number(parts[1]) * 1_000_000 + Number(parts[2]) * 1_000 + Number(parts[3] ?? 0));
}

/** `= 2.14.3` for `2014003`, and nothing for what is no number. */
export function dotted(text: string): string | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number)) return undefined;
  return `= ${Math.floor(number / 1_000_000)}.${Math.floor(number / 1_000) % 1_000}.${number % 1_000}`;
}
