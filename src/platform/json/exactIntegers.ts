// Makes integers beyond 2^53 − 1 (a native SDK's Int64) bigint values: JSON.parse alone would round them.
import { visitKnownText } from './knownText.ts';
import type { LongInteger } from './scanJson.ts';
import type { Schema } from './schema.ts';

/** NUL. No string of a body that has passed its checks begins with it. */
const mark = '\\u0000';

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

function withMarkedIntegers(bytes: Buffer, longIntegers: LongInteger[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of longIntegers) {
    pieces.push(bytes.toString('utf8', done, start), `"${mark}`, bytes.toString('latin1', start, end), '"');
    done = end;
  }
  pieces.push(bytes.toString('utf8', done));
  return pieces.join('');
}
