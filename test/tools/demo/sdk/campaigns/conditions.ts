// Decides whether a condition holds for an event's param or a user's property: openapi.yaml, getCampaigns, "Conditions".
// It imports nothing.

export type Primitive = string | number | boolean;

/** A condition as delivered. With an operator or a kind of `value` that this SDK does not know, it does not hold. */
export interface Condition {
  op: string;
  value?: unknown;
}

/** `actual` is undefined when the param or property is missing. Values are never converted. */
export function conditionHolds({ op, value }: Condition, actual: Primitive | undefined): boolean {
  if (op === 'EXISTS') return actual !== undefined;
  if (op === 'NOT_EXISTS') return actual === undefined;
  if (actual === undefined) return false;
  switch (op) {
    case 'EQ':
      return isPrimitive(value) && actual === value;
    case 'NEQ':
      return isPrimitive(value) && actual !== value;
    case 'IN':
      return isList(value) && value.includes(actual);
    case 'NOT_IN':
      return isList(value) && !value.includes(actual);
    case 'CONTAINS':
      return typeof value === 'string' && typeof actual === 'string' && actual.includes(value);
    default:
      return orderHolds(op, order(actual, value));
  }
}

/** `difference` is null when the two values cannot be ordered. */
function orderHolds(op: string, difference: number | null): boolean {
  if (difference === null) return false;
  if (op === 'GT') return difference > 0;
  if (op === 'GTE') return difference >= 0;
  if (op === 'LT') return difference < 0;
  return op === 'LTE' && difference <= 0;
}

function order(actual: Primitive, value: unknown): number | null {
  if (typeof actual === 'number' && typeof value === 'number') return actual < value ? -1 : actual > value ? 1 : 0;
  if (typeof actual === 'string' && typeof value === 'string') return orderOfTexts(actual, value);
  return null;
}

/** Compares by code point. JavaScript's own operators compare by UTF-16 unit, which puts U+1F680 before U+FF5E. */
function orderOfTexts(one: string, other: string): number {
  for (let i = 0; i < one.length && i < other.length;) {
    const [a, b] = [one.codePointAt(i)!, other.codePointAt(i)!];
    if (a !== b) return a - b;
    i += a > 0xffff ? 2 : 1;
  }
  return one.length - other.length;
}

function isPrimitive(value: unknown): value is Primitive {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isList(value: unknown): value is Primitive[] {
  return Array.isArray(value) && value.every(isPrimitive);
}
