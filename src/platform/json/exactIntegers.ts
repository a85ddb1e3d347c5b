// Makes integers beyond 2^53 − 1 (a native SDK's Int64) bigint values: JSON.parse alone would round them.
import { byteOf } from './jsonSigns.ts';
import { visitKnownText } from './knownText.ts';
import type { LongInteger } from './scanJson.ts';
import type { Schema } from './schema.ts';

/** A string that begins with NUL: none of a body that has passed its checks does. */
const opening = Buffer.from('"\\u0000');

export interface ExactReading {
  bytes: Buffer;
  value: unknown;
  longIntegers: LongInteger[];
  schema: Schema;
}

/**
 * Only for a body that has passed its checks: the only fields with such an integer are then property values, which are kept as
 * they were sent. The integers become marked strings in the text, JSON.parse reads it again, and the strings are replaced.
 * A tree of positions took 4 s for 8 MiB.
 */
export function withExactIntegers({ bytes, value, longIntegers, schema }: ExactReading): unknown {
  if (longIntegers.length === 0) return value;
  const exact: unknown = JSON.parse(withMarkedIntegers(bytes, longIntegers));
  visitKnownText(schema, exact, ({ text, isKey, replace }) => {
    if (!isKey && text.startsWith('\0')) replace(BigInt(text.slice(1)));
    return false;
  });
  return exact;
}

/** Byte by byte: a copy of each piece took four times as long, and a text of each ten times. */
function withMarkedIntegers(bytes: Buffer, longIntegers: LongInteger[]): string {
  const marked = Buffer.allocUnsafe(bytes.length + longIntegers.length * (opening.length + 1));
  let [next, written] = [0, 0];
  for (let read = 0; read < bytes.length; read++) {
    const integer = longIntegers[next];
    if (read === integer?.start) for (const byte of opening) marked[written++] = byte;
    marked[written++] = bytes[read]!;
    if (integer && read === integer.end - 1) {
      marked[written++] = byteOf.quote;
      next += 1;
    }
  }
  return marked.toString('utf8');
}
