// Checks names, values and ids when the app hands them in: openapi.yaml, "Limits" and openapi.yaml, "Values".
// One bad value would cost the whole upload a 422: openapi.yaml, "What becomes of refused data".
import { reservedNames } from './systemEvents.ts';
import type { AttributionPayloads, Properties, PropertyValue } from './wire.ts';

/** Null when the event may be recorded, otherwise the problem. */
export function problemOfEvent(name: string, properties: Properties): string | null {
  if (reservedNames.has(name)) return `the event name ${name} is reserved`;
  const entries = Object.entries(properties);
  if (entries.length > 256) return `the event ${name} has more than 256 properties`;
  for (const [key, value] of entries) {
    const problem = problemOfProperty(key, value);
    if (problem) return problem;
  }
  return problemOfName(name);
}

export function problemOfProperty(name: string, value: PropertyValue): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return `the property ${name} is not a finite number`;
  if (typeof value === 'string' && (!isStorable(value) || [...value].length > 8_192)) {
    return `the property ${name} is longer than 8,192 characters or not valid text`;
  }
  return problemOfName(name);
}

/** A user id may be empty: openapi.yaml, "Limits". */
export function problemOfUserId(id: string): string | null {
  return !isStorable(id) || [...id].length > 256 ? 'the user id is longer than 256 characters or not valid text' : null;
}

/** A 422 at one payload would cost the whole report. */
export function problemOfAttribution(
  attribution: AttributionPayloads,
  custom: Record<string, unknown> | null,
): string | null {
  const long = Object.entries({ ...attribution, custom }).find(
    ([, payload]) => Buffer.byteLength(JSON.stringify(payload ?? null)) > 65_536,
  );
  return long ? `the payload ${long[0]} has more than 65,536 bytes` : null;
}

export function problemOfTransactionId(id: string): string | null {
  return problemOfName(id);
}

function problemOfName(name: string): string | null {
  const blank = /^\p{White_Space}*$/u.test(name);
  return blank || !isStorable(name) || [...name].length > 256 ? `"${name}" is not a name of 1 to 256 characters` : null;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
