// JSON as bytes: the bytes of its structure (RFC 8259, 2), texts that are sent unchanged, and the lengths of values.
import { randomUUID } from 'node:crypto';

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

// JSON text that is sent as it was stored, digit by digit: parsing would change a number beyond double precision.

/** The call of `stringifyWithRawJson` that runs: `JSON.stringify` does not pass it to `toJSON`. */
let underWay: { marker: string; texts: string[] } | null = null;

/** A JSON text in place of its value. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return underWay ? `${underWay.marker}:${underWay.texts.push(this.text) - 1}` : { ...this };
  }
}

/**
 * `JSON.stringify` that writes the text of each RawJson unchanged. It uses `toJSON`: a replacer is called for every value, which
 * took a tenth of the time of a long list.
 */
export function stringifyWithRawJson(value: unknown): string {
  // Random, so that no string of the value can look like a marker.
  const marker = randomUUID();
  const texts: string[] = [];
  underWay = { marker, texts };
  let json: string;
  try {
    json = JSON.stringify(value);
  } finally {
    underWay = null;
  }
  if (texts.length === 0) return json;
  return json.replace(new RegExp(`"${marker}:(\\d+)"`, 'g'), (_match, at: string) => texts[Number(at)]!);
}

// Estimates the bytes of a value as JSON, without writing it.

/** The characters that JSON escapes. */
const escaped = /["\\\u0000-\u001f]/;

/** In UTF-8. Counting stops soon after `most`. */
export function jsonBytes(value: unknown, most = Infinity): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'number') return String(value).length + 1;
  if (typeof value !== 'object' || value === null) return 5;
  if (value instanceof RawJson) return Buffer.byteLength(value.text);
  // Only rows have these, no response has.
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Array.isArray(value) ? listBytes(value, most) : objectBytes(value as Record<string, unknown>, most);
}

function listBytes(list: readonly unknown[], most: number): number {
  let bytes = 2;
  for (let at = 0; at < list.length && bytes <= most; at++) bytes += jsonBytes(list[at], most - bytes);
  return bytes;
}

function objectBytes(object: Record<string, unknown>, most: number): number {
  let bytes = 2;
  for (const name in object) {
    bytes += name.length + 4 + jsonBytes(object[name], most - bytes);
    if (bytes > most) break;
  }
  return bytes;
}

function textBytes(text: string): number {
  return Buffer.byteLength(escaped.test(text) ? JSON.stringify(text) : text) + 3;
}

// JSON that is written once and sent in many responses.

/** The text of a `Value` in pieces, which are sent one after the other. */
export class WrittenJson<Value> {
  readonly pieces: readonly (string | Buffer)[];
  /** Only a type: the compiler does not take the text of another type for this one. */
  declare readonly value: Value;

  constructor(pieces: readonly (string | Buffer)[]) {
    this.pieces = pieces;
  }
}

// The length of JSON as PostgreSQL writes it. PostgreSQL writes numbers out: 5e-324, six characters, becomes 326.

/** In UTF-8, without white space. */
export function writtenBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + bytesWrittenMore(value);
}

function bytesWrittenMore(value: unknown): number {
  if (typeof value === 'number') return digitsWrittenMore(String(value));
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + bytesWrittenMore(item), 0);
}

/** 1.5e-7 becomes 0.00000015. */
function digitsWrittenMore(number: string): number {
  const [mantissa, exponent] = number.split('e');
  if (exponent === undefined) return 0;
  return mantissa!.replace('.', '').length + Math.abs(Number(exponent)) + 1 - number.length;
}
