// One condition as it is typed, and as the API takes it: schema.graphql, "Conditions".
import type { ConditionOperator } from '../../../../generated/screens/campaignEditor/graphql.ts';

/** How the value is typed. `JSON` takes every value: lists of several types, and texts with line breaks. */
export type Kind = 'TEXT' | 'NUMBER' | 'BOOLEAN' | 'JSON';

export interface ConditionDraft {
  /** Of the row on the page alone. */
  key: string;
  name: string;
  op: ConditionOperator;
  kind: Kind;
  text: string;
  /** The values of `IN` and `NOT_IN`. */
  list: string[];
}

export const words: Record<ConditionOperator, string> = {
  EQ: 'is',
  NEQ: 'is not',
  GT: 'is more than',
  GTE: 'is at least',
  LT: 'is less than',
  LTE: 'is at most',
  IN: 'is one of',
  NOT_IN: 'is none of',
  CONTAINS: 'contains',
  EXISTS: 'is there',
  NOT_EXISTS: 'is missing',
};
export const operators = Object.keys(words) as ConditionOperator[];

export const isList = (op: ConditionOperator): boolean => op === 'IN' || op === 'NOT_IN';
export const needsNoValue = (op: ConditionOperator): boolean => op === 'EXISTS' || op === 'NOT_EXISTS';

/** The ways to type a value for an operator; none where it has no value. */
export function kindsOf(op: ConditionOperator): Kind[] {
  if (needsNoValue(op)) return [];
  if (op === 'CONTAINS') return ['TEXT', 'JSON'];
  if (op === 'EQ' || op === 'NEQ') return ['TEXT', 'NUMBER', 'BOOLEAN', 'JSON'];
  return ['TEXT', 'NUMBER', 'JSON'];
}

let keys = 0;

export function newCondition(): ConditionDraft {
  return { key: `c${(keys += 1)}`, name: '', op: 'EQ', kind: 'TEXT', text: '', list: [] };
}

/** What keeps of a value when another operator or another type is chosen. */
export function withOp(condition: ConditionDraft, op: ConditionOperator): ConditionDraft {
  const { kind, text, list } = condition;
  const kinds = kindsOf(op);
  const moved = kinds.includes(kind) || kinds.length === 0 ? kind : 'TEXT';
  if (kind === 'JSON' || isList(op) === isList(condition.op)) return { ...condition, op, kind: moved };
  return isList(op)
    ? { ...condition, op, kind: moved, list: text === '' ? list : [text] }
    : { ...condition, op, kind: moved, text: needsNoValue(op) ? text : (list[0] ?? text) };
}

interface StoredCondition {
  op: ConditionOperator;
  value?: unknown;
}

export function conditionDraft(name: string, { op, value }: StoredCondition): ConditionDraft {
  const draft = { ...newCondition(), name, op };
  if (needsNoValue(op)) return draft;
  const values = isList(op) && Array.isArray(value) ? (value as unknown[]) : [value];
  const kinds = new Set(values.map(kindOf));
  const [kind] = kinds;
  if (kinds.size !== 1 || kind === undefined || !kindsOf(op).includes(kind) || repeats(values))
    return { ...draft, kind: 'JSON', text: JSON.stringify(value) };
  return isList(op) ? { ...draft, kind, list: values.map(String) } : { ...draft, kind, text: String(value) };
}

/** A field for several values takes each once. */
const repeats = (values: unknown[]): boolean => new Set(values).size !== values.length;

function kindOf(value: unknown): Kind {
  if (typeof value === 'number') return 'NUMBER';
  if (typeof value === 'boolean') return 'BOOLEAN';
  // A field of one line would drop a line break, and one for several values the white space around them.
  return typeof value === 'string' && !/[\r\n]/.test(value) && value.trim() === value && value !== '' ? 'TEXT' : 'JSON';
}

export const isNumber = (text: string): boolean =>
  /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));

/** Undefined where the operator takes no value. Throws where the text is no JSON: `problemOf` says so first. */
export function valueOf({ op, kind, text, list }: ConditionDraft): unknown {
  if (needsNoValue(op)) return undefined;
  if (kind === 'JSON') return JSON.parse(text);
  return isList(op) ? list.map((one) => typedOne(kind, one)) : typedOne(kind, text);
}

function typedOne(kind: Kind, text: string): string | number | boolean {
  if (kind === 'NUMBER') return Number(text);
  return kind === 'BOOLEAN' ? text === 'true' : text;
}

/** What is wrong with the value, or null. What the service alone knows, it says itself. */
export function problemOf(condition: ConditionDraft): string | null {
  const { op, kind, text, list } = condition;
  if (needsNoValue(op)) return null;
  if (kind === 'JSON') return jsonProblem(condition);
  if (isList(op) && list.length === 0) return 'Enter a value, then press Enter.';
  if (isList(op) && list.length > 100) return 'A list has at most 100 values.';
  const values = isList(op) ? list : [text];
  if (kind === 'NUMBER') return values.every(isNumber) ? null : 'Enter a number, like 20 or 9.99.';
  if (values.includes('')) return op === 'CONTAINS' ? 'Enter a text.' : emptyText;
  return values.some((one) => [...one].length > 8_192) ? 'A text has at most 8,192 characters.' : null;
}

const emptyText = 'Enter a value. For the empty text choose JSON and write "".';

function jsonProblem({ op, text }: ConditionDraft): string | null {
  try {
    const value: unknown = JSON.parse(text);
    if (isList(op) && !Array.isArray(value)) return 'Enter a list as JSON, like ["a", 5, true].';
    if (!isList(op) && typeof value === 'object') return 'Enter a text, a number or true or false as JSON.';
    return null;
  } catch {
    return isList(op) ? 'Enter a list as JSON, like ["a", 5, true].' : 'Enter the value as JSON, like "a" or 5.';
  }
}
