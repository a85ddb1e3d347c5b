// The schemas of openapi.yaml that requests must fit, limited to the keywords that the fuzzer can satisfy and break.

export interface JsonSchema {
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  nullable?: boolean;
  enum?: string[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  'x-limit-unit'?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: true;
  'x-reserved-names'?: string[];
  'x-max-stored-bytes'?: number;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
}

const annotations = ['description', 'title', 'example', 'deprecated', 'externalDocs'];
const everywhere = ['type', 'nullable', ...annotations];
const keywords: Record<string, readonly string[]> = {
  object: ['properties', 'required', 'additionalProperties', 'x-reserved-names', 'x-max-stored-bytes'],
  array: ['items', 'minItems', 'maxItems', 'x-limit-unit'],
  string: ['enum', 'minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum', 'format'],
  boolean: [],
  choice: ['oneOf', 'anyOf'],
};
const formats: Record<string, readonly string[]> = { string: ['date-time'], integer: ['int32', 'int64'] };

/** Throws on an unknown keyword: a new keyword is either fuzzed from its first day or fails the fuzzer. */
export function knownSchema(schema: object, at: string): JsonSchema {
  const { type = 'choice', format } = schema as JsonSchema;
  const known = [...everywhere, ...(keywords[type] ?? [])];
  const unknown = Object.keys(schema).filter((keyword) => !known.includes(keyword));
  if (!(type in keywords) || unknown.length > 0) throw unknownPart(at, `${type} with ${unknown.join(', ')}`);
  if (format !== undefined && !formats[type]?.includes(format)) throw unknownPart(at, `format ${format}`);
  const { properties = {}, items, additionalProperties, oneOf, anyOf } = schema as JsonSchema;
  if (additionalProperties !== undefined && additionalProperties !== true) throw unknownPart(at, 'closed object');
  if (type === 'array' && !items) throw unknownPart(at, 'array without items');
  if (type === 'choice' && !(oneOf ?? anyOf)) throw unknownPart(at, 'schema without type');
  for (const [name, property] of Object.entries(properties)) knownSchema(property, `${at}.${name}`);
  if (items) knownSchema(items, `${at}[]`);
  for (const choice of choicesOf(schema)) knownSchema(choice, at);
  return schema;
}

export function choicesOf({ oneOf, anyOf }: JsonSchema): JsonSchema[] {
  return oneOf ?? anyOf ?? [];
}

function unknownPart(at: string, what: string): Error {
  return new Error(`the fuzzer does not know what to do with ${at}: ${what}; teach it in test/faults/fuzz/public`);
}
