// Finds text that PostgreSQL refuses or changes, NUL and lone surrogates, wherever the service would store it.
import type { FieldError } from '../errors.ts';
import { isStorableText } from '../inputRules.ts';
import { fieldPath, maxFields } from './fieldPath.ts';
import { visitKnownText } from './knownText.ts';
import type { Schema } from './schema.ts';

// Raw NUL is not JSON, and raw surrogates are not UTF-8: only an escape can bring them in.
const suspiciousEscape = /\\u(?:0000|d[89a-f])/i;

/** At most a hundred fields. The first line settles almost every body. `body` is the parsed value of `text`. */
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
