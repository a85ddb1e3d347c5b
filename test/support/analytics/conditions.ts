// The conditions of schema.graphql, "Conditions", on what was drawn; test/vectors/conditions.json holds them to their words.
import { deviceProperties, type Filter, type Property, type PropertyValue } from '../../../src/analytics/questions.ts';
import { byCodePoints } from './codePoints.ts';
import type { DrawnDevice, Properties } from './drawn.ts';

/** Undefined where it is missing. */
export function propertyOf(
  { scope, property }: Property,
  device: DrawnDevice,
  params: Properties,
): PropertyValue | undefined {
  const holder = { EVENT: params, USER: device.userProperties, DEVICE: device.properties }[scope];
  const name = scope === 'DEVICE' ? deviceProperties[property]! : property;
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

export function holds(filter: Filter, device: DrawnDevice, params: Properties): boolean {
  return fulfils(filter, propertyOf(filter, device, params));
}

/** Whether a value, undefined where it is missing, fulfils a condition. */
export function fulfils(
  { op, value: wanted }: Pick<Filter, 'op' | 'value'>,
  value: PropertyValue | undefined,
): boolean {
  if (value === undefined) return op === 'NOT_EXISTS';
  const list = Array.isArray(wanted) ? wanted : [];
  switch (op) {
    case 'EXISTS':
      return true;
    case 'NOT_EXISTS':
      return false;
    case 'EQ':
      return value === wanted;
    case 'NEQ':
      return value !== wanted;
    case 'IN':
      return list.includes(value);
    case 'NOT_IN':
      return !list.includes(value);
    case 'CONTAINS':
      return typeof value === 'string' && typeof wanted === 'string' && value.includes(wanted);
    case 'GT':
    case 'GTE':
    case 'LT':
    case 'LTE':
      return isOrdered(op, value, wanted);
  }
}

function isOrdered(op: 'GT' | 'GTE' | 'LT' | 'LTE', value: PropertyValue, wanted: unknown): boolean {
  const order = orderOf(value, wanted);
  if (order === null) return false;
  return { GT: order > 0, GTE: order >= 0, LT: order < 0, LTE: order <= 0 }[op];
}

/** Null for values without an order: of two types, and booleans. */
function orderOf(value: PropertyValue, wanted: unknown): number | null {
  if (typeof value === 'number' && typeof wanted === 'number') return value - wanted;
  if (typeof value === 'string' && typeof wanted === 'string') return byCodePoints(value, wanted);
  return null;
}
