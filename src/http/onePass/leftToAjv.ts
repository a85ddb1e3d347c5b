// The keywords of a schema that a reading in one pass sees to itself, and what it leaves to Ajv.
import type { Schema } from '../../platform/json/schema.ts';

const read = ['type', 'nullable', 'maxLength', 'properties', 'required', 'items', 'minItems', 'maxItems'];
/** They say nothing of a value. */
const annotations = ['description', 'example', 'x-limit-unit'];

/** The keywords that Ajv has to check; empty where there is none. */
export function leftToAjv(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => ![...read, ...annotations].includes(name)));
}
