// Named values of the wire as the text of one JSON object, the way they are stored.
import { JsonSlice } from './jsonSlice.ts';

export type PropertyValue = string | number | bigint | boolean;
export type EventParams = ReadonlyMap<string, PropertyValue>;

export interface Property {
  name: string;
  value: PropertyValue;
}

/**
 * A body of the wire's type as it reaches its operation: the properties of most have been written already
 * (http/namedValues.ts).
 */
export type AsRead<Part> = Part extends Property[]
  ? Part | JsonSlice
  : Part extends object
    ? { [Name in keyof Part]: AsRead<Part[Name]> }
    : Part;

const none = JsonSlice.of('{}');

export function propertySlice(properties: readonly Property[] | JsonSlice): JsonSlice {
  if (properties instanceof JsonSlice) return properties;
  return properties.length > 0 ? JsonSlice.of(propertyJson(properties)) : none;
}

/** For look-ups of texts: an integer that a double does not hold may be rounded. */
export function propertyMap(properties: JsonSlice): EventParams {
  return new Map(Object.entries(JSON.parse(properties.toString()) as Record<string, PropertyValue>));
}

/**
 * Of two values of one name both are written, and `jsonb` keeps the last. By hand, so that a property named `__proto__`
 * is a property like any other and a bigint keeps its digits; also a third of the time of a Map and JSON.stringify.
 */
export function propertyJson(properties: readonly Property[]): string {
  let members = '';
  for (const { name, value } of properties) {
    const written = typeof value === 'string' ? jsonString(value) : String(value);
    members += `${members === '' ? '' : ','}${jsonString(name)}:${written}`;
  }
  return `{${members}}`;
}

/** What JSON writes otherwise than it is: quotes, backslashes, controls; surrogates, of which some stand alone. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

function jsonString(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}
