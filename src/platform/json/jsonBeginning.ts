// What a body of too many parts begins with: enough to say which count is over its limit, and no more than may be parsed.
import { byteOf, endOfString } from './jsonSigns.ts';

/** Of the body's first `maxParts` opening braces, opening brackets and commas. Undefined where they are no JSON. */
export function jsonBeginning(bytes: Buffer, maxParts: number): unknown {
  const text = closedBeginning(bytes, maxParts);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text before the next part, with everything that is open there closed. */
function closedBeginning(bytes: Buffer, maxParts: number): string {
  const closers: string[] = [];
  const closed = (end: number): string => bytes.toString('utf8', 0, end) + closers.reverse().join('');
  let parts = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === byteOf.quote) i = endOfString(bytes, i);
    else if (byte === byteOf.comma) {
      if (++parts > maxParts) return closed(i);
    } else if (byte === byteOf.openBrace || byte === byteOf.openBracket) {
      closers.push(byte === byteOf.openBrace ? '}' : ']');
      // An empty object or array: a comma or a colon may stand before it.
      if (++parts > maxParts) return closed(i + 1);
    } else if (byte === byteOf.closeBrace || byte === byteOf.closeBracket) closers.pop();
  }
  return closed(bytes.length);
}
