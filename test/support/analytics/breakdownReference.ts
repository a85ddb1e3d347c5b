// The reference of breakdowns: which values are shown, and in which line each event is.
import type { BreakdownValue, Property, PropertyValue } from '../../../src/analytics/questions.ts';
import { byCodePoints } from './codePoints.ts';
import { propertyOf } from './conditions.ts';
import type { SeenEvent } from './definitions.ts';

const most = 20;

export interface Line extends BreakdownValue {
  events: SeenEvent[];
}

export function valueOf(event: SeenEvent, property: Property): PropertyValue | null {
  return propertyOf(property, event.session.owner, event.params) ?? null;
}

/** The lines of these events: the values with the most of them first, and the others together last. */
export function linesOf(events: readonly SeenEvent[], property: Property): Line[] {
  const byValue = new Map<PropertyValue | null, SeenEvent[]>();
  for (const event of events) {
    const value = valueOf(event, property);
    byValue.set(value, [...(byValue.get(value) ?? []), event]);
  }
  const lines = [...byValue].map(([value, own]) => ({ value, isOther: false, events: own }));
  lines.sort((one, other) => other.events.length - one.events.length || byTypeAndValue(one.value, other.value));
  const rest = lines.slice(most).flatMap((line) => line.events);
  return rest.length === 0 ? lines : [...lines.slice(0, most), { value: null, isOther: true, events: rest }];
}

/** Texts by code points, then numbers, then false and true, then null. */
export function byTypeAndValue(one: PropertyValue | null, other: PropertyValue | null): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  if (rank !== otherRank) return rank - otherRank;
  if (typeof one === 'string') return byCodePoints(one, other as string);
  return Number(one) - Number(other);
}

function rankOf(value: PropertyValue | null): number {
  return value === null ? 3 : { string: 0, number: 1, boolean: 2 }[typeof value as 'string' | 'number' | 'boolean'];
}
