// Conditions of which all must hold, and which no value fulfils together.
import type { ConditionOperator } from '../../../../generated/screens/campaignEditor/graphql.ts';
import { needsNoValue, words } from '../../parts/filters/filters.ts';

interface Condition {
  name: string;
  op: ConditionOperator;
  value?: unknown;
}

/** One text for each name of which no value fits. */
export function conditionWarnings(conditions: readonly Condition[]): string[] {
  const names = [...new Set(conditions.map(({ name }) => name))];
  return names.flatMap((name) => {
    const clash = clashOf(conditions.filter((condition) => condition.name === name));
    if (clash === null) return [];
    return [`“${name}” never fits: it cannot be that it ${said(clash[0])} and ${said(clash[1])}.`];
  });
}

const said = ({ op, value }: Condition): string =>
  needsNoValue(op) ? words[op] : `${words[op]} ${typeof value === 'string' ? value : JSON.stringify(value)}`;

function clashOf(conditions: Condition[]): [Condition, Condition] | null {
  for (const [index, one] of conditions.entries()) {
    for (const other of conditions.slice(index + 1)) {
      if (clash(one, other) || clash(other, one)) return [one, other];
    }
  }
  return null;
}

const compare: Partial<Record<ConditionOperator, (value: string | number, than: string | number) => boolean>> = {
  GT: (value, than) => value > than,
  GTE: (value, than) => value >= than,
  LT: (value, than) => value < than,
  LTE: (value, than) => value <= than,
};

/** Whether no value fulfils both. Called both ways round. */
function clash(one: Condition, other: Condition): boolean {
  if (one.op === 'NOT_EXISTS') return other.op !== 'NOT_EXISTS';
  const allowed = one.op === 'EQ' ? [one.value] : one.op === 'IN' ? (one.value as unknown[]) : null;
  if (allowed) return !allowed.some((value) => holds(other, value));
  const isBelow = one.op === 'LT' || one.op === 'LTE';
  const isAbove = other.op === 'GT' || other.op === 'GTE';
  if (!isBelow || !isAbove || typeof one.value !== typeof other.value) return false;
  const [most, least] = [one.value as string | number, other.value as string | number];
  return most < least || (most === least && (one.op === 'LT' || other.op === 'GT'));
}

/** schema.graphql, "Conditions": values of different types are not equal and have no order. */
function holds({ op, value }: Condition, given: unknown): boolean {
  if (op === 'EXISTS') return true;
  if (op === 'NOT_EXISTS') return false;
  if (op === 'EQ') return given === value;
  if (op === 'NEQ') return given !== value;
  if (op === 'IN') return (value as unknown[]).includes(given);
  if (op === 'NOT_IN') return !(value as unknown[]).includes(given);
  if (op === 'CONTAINS') return typeof given === 'string' && given.includes(value as string);
  return typeof given === typeof value && compare[op]!(given as string | number, value as string | number);
}
