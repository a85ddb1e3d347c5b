// Values that fit a schema of openapi.yaml: any response to them but 200 is a fault.
import fc from 'fast-check';
import { RawJson } from '../../../../src/platform/json/jsonBytes.ts';
import { anyJson, storableJson, storableText } from '../anyJson.ts';
import { oddInstants, oddNumbers, oddTexts } from '../texts.ts';
import { choicesOf, type JsonSchema } from './schema.ts';

type Record_ = Record<string, unknown>;

export function validValue(schema: JsonSchema): fc.Arbitrary<unknown> {
  const value = ofType(schema);
  return schema.nullable ? fc.option(value, { nil: null, freq: 4 }) : value;
}

function ofType(schema: JsonSchema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object':
      return validObject(schema);
    case 'array': {
      const { items, minItems = 0, maxItems = Infinity } = schema;
      return fc.array(validValue(items!), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
    }
    case 'string':
      return validText(schema);
    case 'integer':
    case 'number':
      return validNumber(schema);
    case 'boolean':
      return fc.boolean();
    case undefined:
      return fc.oneof(...choicesOf(schema).map(validValue));
  }
}

function validObject(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const model = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, validValue(property)]));
  const known = fc.record(model, { requiredKeys: required });
  // Requests are open: the service ignores every unknown member, and stores the members of an open object.
  const [key, value] = additionalProperties ? [storableText, storableJson] : [fc.string(), anyJson];
  const isKnown = (name: string) => Object.hasOwn(properties, name);
  const unknown = fc.uniqueArray(
    fc.tuple(
      key.filter((name) => !isKnown(name)),
      value,
    ),
    {
      maxLength: 3,
      selector: ([name]) => name,
    },
  );
  const sometimes = additionalProperties
    ? unknown
    : fc.oneof({ weight: 5, arbitrary: fc.constant<[string, unknown][]>([]) }, unknown);
  const object = fc.tuple(known, sometimes).map(([fields, more]) => withMembers(fields, more));
  return schema['x-reserved-names'] ? named(object, schema['x-reserved-names']) : object;
}

/** Also adds a member called `__proto__`: an assignment would set the prototype instead. */
export function withMembers(object: Record_, members: [string, unknown][]): Record_ {
  const result: Record_ = { ...object };
  for (const [name, value] of members) {
    Object.defineProperty(result, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

/** System events have the reserved names; custom events must not. */
function named(event: fc.Arbitrary<unknown>, reserved: string[]): fc.Arbitrary<unknown> {
  return fc.tuple(event, fc.option(fc.constantFrom(...reserved), { nil: undefined })).map(([fields, name]) => {
    const system = name !== undefined || reserved.includes((fields as { name: string }).name);
    return { ...(fields as object), ...(name !== undefined && { name }), ...(system && { type: 'system' }) };
  });
}

function validText(schema: JsonSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 8_192, pattern, format } = schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (format === 'date-time') return fc.oneof(fc.constantFrom(...oddInstants), validInstant);
  const form = new RegExp(pattern ?? '', 'u');
  const fits = (text: string) => {
    const length = [...text].length;
    return length >= minLength && length <= maxLength && form.test(text);
  };
  const free = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 30) });
  const matching = pattern === undefined ? free : fc.oneof(free, fc.stringMatching(form));
  return fc.oneof(
    fc.constantFrom(...oddTexts.filter(fits)),
    matching.filter((text) => fits(text) && isStorable(text)),
  );
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

const twoDigits = (most: number) => fc.nat(most).map((number) => String(number).padStart(2, '0'));
const validInstant = fc
  .tuple(
    fc.date({ min: new Date('0001-01-03T00:00:00Z'), max: new Date('9999-12-29T00:00:00Z'), noInvalidDate: true }),
    // Null: the seconds are left out.
    fc.oneof(fc.constantFrom('', null), fc.stringMatching(/^[.,][0-9]{1,12}$/)),
    fc.oneof(
      fc.constant('Z'),
      fc
        .tuple(fc.constantFrom('+', '-'), twoDigits(23), fc.constantFrom('', '30', ':59'))
        .map((parts) => parts.join('')),
    ),
  )
  .map(([date, fraction, zone]) => {
    const text = date.toISOString();
    return fraction === null ? `${text.slice(0, 16)}${zone}` : `${text.slice(0, 19)}${fraction}${zone}`;
  });

function validNumber({ type, minimum = -1e300, maximum = 1e300 }: JsonSchema): fc.Arbitrary<unknown> {
  const odd = oddNumbers.filter((text) => {
    const value = Number(text);
    const exact = type === 'number' || Number.isSafeInteger(value);
    return Number.isFinite(value) && value >= minimum && value <= maximum && exact;
  });
  const whole = { min: Math.max(minimum, Number.MIN_SAFE_INTEGER), max: Math.min(maximum, Number.MAX_SAFE_INTEGER) };
  const numbers = fc.maxSafeInteger().map((number) => whole.min + (Math.abs(number) % (whole.max - whole.min + 1)));
  const integers = fc.integer({ min: Math.max(whole.min, -1_000), max: Math.min(whole.max, 1_000_000) });
  const fractions = fc.double({ min: minimum, max: maximum, noNaN: true });
  const free = type === 'integer' ? fc.oneof(integers, numbers) : fc.oneof(integers, numbers, fractions);
  return fc.oneof({ weight: 3, arbitrary: free }, fc.constantFrom(...odd.map((text) => new RawJson(text))));
}
