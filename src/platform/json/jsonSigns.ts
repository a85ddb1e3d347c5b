// The bytes of JSON's structure (RFC 8259, 2), for the code that reads JSON by hand.

export const byteOf = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  capitalE: 0x45,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  e: 0x65,
  f: 0x66,
  n: 0x6e,
  t: 0x74,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** The offset of the quote that ends a string. `start` is its first quote, or any byte of it that no backslash escapes. */
export function endOfString(bytes: Buffer, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== byteOf.quote) i += bytes[i] === byteOf.backslash ? 2 : 1;
  return i;
}
