// Text that PostgreSQL refuses or changes, NUL and lone surrogates, found wherever the service would store it.
import type { FieldError } from '../platform/errors.ts';
import type { Schema } from './bodyCheck.ts';
import { fieldPath } from './fieldPath.ts';

// Raw NUL is no JSON and raw surrogates are no UTF-8, so only an escape can bring them in.
const suspiciousEscape = /\\u(?:0000|d[89a-f])/i;

/** Almost every body ends at the first line; `body` is the value that `text` was parsed to. */
export function unstorableText(text: string, body: unknown, schema: Schema): FieldError[] {
  if (!suspiciousEscape.test(text)) return [];
  return [...walk(schema, body, [])];
}

/** Fields the contract does not know are ignored, except in an object that is kept as given. */
function* walk(schema: Schema | undefined, value: unknown, at: readonly (string | number)[]): Generator<FieldError> {
  if (typeof value === 'string') {
    if (!isStorable(value)) yield { path: fieldPath(at), message: 'must not hold NUL or lone surrogates' };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* walk(schema?.items, item, [...at, index]);
  } else if (typeof value === 'object' && value !== null) {
    const keepsAll = !schema?.properties || schema['additionalProperties'] === true;
    for (const [name, member] of Object.entries(value)) {
      const known = schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      if (!known && !keepsAll) continue;
      const place = [...at, name];
      if (!isStorable(name)) yield { path: fieldPath(place), message: 'is a key with NUL or a lone surrogate' };
      yield* walk(known, member, place);
    }
  }
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
