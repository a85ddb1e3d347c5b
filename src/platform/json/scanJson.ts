// One pass over the bytes of a JSON body before it is parsed: it finds facts that the parsed value no longer shows.
import { byteOf, endOfString } from './jsonSigns.ts';

/** Byte offsets of an integer that a double cannot hold. */
export interface LongInteger {
  start: number;
  end: number;
}

export interface JsonScan {
  /** The deepest nesting. The pass ends where it exceeds `maxDepth`. */
  depth: number;
  /** Opening braces, opening brackets and commas: no text has more values than one more. The pass ends beyond `maxValues`. */
  values: number;
  /** Members of all objects, counted by their colons. */
  members: number;
  longIntegers: LongInteger[];
}

export interface JsonBounds {
  maxDepth: number;
  maxValues: number;
}

/** Bytes of longer UTF-8 sequences are never ASCII. For a text that is not JSON the results have no meaning. */
export function scanJson(bytes: Buffer, { maxDepth, maxValues }: JsonBounds): JsonScan {
  const scan: JsonScan = { depth: 0, values: 0, members: 0, longIntegers: [] };
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === byteOf.quote) i = endOfString(bytes, i);
    else if (byte === byteOf.colon) scan.members += 1;
    else if (byte === byteOf.comma) {
      if (++scan.values > maxValues) return scan;
    } else if (byte === byteOf.openBrace || byte === byteOf.openBracket) {
      scan.values += 1;
      scan.depth = Math.max(scan.depth, ++depth);
      if (depth > maxDepth || scan.values > maxValues) return scan;
    } else if (byte === byteOf.closeBrace || byte === byteOf.closeBracket) depth -= 1;
    else if (byte === byteOf.minus || isDigit(byte)) {
      const end = endOfNumber(bytes, i);
      if (isLongInteger(bytes, i, end)) scan.longIntegers.push({ start: i, end });
      i = end - 1;
    }
  }
  return scan;
}

function endOfNumber(bytes: Buffer, start: number): number {
  let i = start + 1;
  while (i < bytes.length && (isDigit(bytes[i]!) || isNumberSign(bytes[i]!))) i++;
  return i;
}

/**
 * An integer beyond 2^53 − 1 has at least sixteen digits. They are looked at one by one: a pattern over eight million digits
 * exhausts the stack.
 */
function isLongInteger(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start] === byteOf.minus ? start + 1 : start;
  if (end - first < 16) return false;
  let value = 0;
  for (let i = first; i < end; i++) {
    if (!isDigit(bytes[i]!)) return false;
    // Up to 16 digits the sum is rounded once, at its last digit. A text of each number took fifty times as long.
    value = value * 10 + (bytes[i]! - byteOf.zero);
  }
  return end - first > 16 || !Number.isSafeInteger(value);
}

function isDigit(byte: number): boolean {
  return byte >= byteOf.zero && byte <= byteOf.nine;
}

function isNumberSign(byte: number): boolean {
  const isPower = byte === byteOf.capitalE || byte === byteOf.e;
  return isPower || byte === byteOf.plus || byte === byteOf.minus || byte === byteOf.point;
}
