// Text that PostgreSQL refuses or changes, NUL and lone surrogates, found wherever the service would store it.
import type { FieldError } from '../errors.ts';
import { isStorableText } from '../inputRules.ts';
import { fieldPath, maxFields } from './fieldPath.ts';
import { visitKnownText } from './knownText.ts';
import type { Schema } from './schema.ts';

// Raw NUL is no JSON and raw surrogates are no UTF-8, so only an escape can bring them in.
const suspiciousEscape = /\\u(?:0000|d[89a-f])/i;

/** The first hundred; almost every body ends at the first line. `body` is the value that `text` was parsed to. */
export function unstorableText(text: string, body: unknown, schema: Schema): FieldError[] {
  if (!text.includes('\\u') || !suspiciousEscape.test(text)) return [];
  const fields: FieldError[] = [];
  visitKnownText(schema, body, (found) => {
    if (!isStorableText(found.text)) {
      const message = found.isKey ? 'is a key with NUL or a lone surrogate' : 'must not hold NUL or lone surrogates';
      fields.push({ path: fieldPath(found.at), message });
    }
    return fields.length >= maxFields;
  });
  return fields;
}
