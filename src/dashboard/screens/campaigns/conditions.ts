// One condition as it is typed, and as the API takes it: schema.graphql, "Conditions".
import type { ConditionOperator } from '../../../../generated/screens/campaigns/graphql.ts';
import { needsNoValue, takesList, words } from '../../parts/filters.ts';
import { splitValues, writtenList } from '../../parts/values.ts';

/** How the value is typed. `JSON` takes every value: lists of several types, and a text with line breaks. */
export type Kind = 'TEXT' | 'NUMBER' | 'BOOLEAN' | 'JSON';

export interface ConditionDraft {
  /** Of the row on the page alone. */
  key: string;
  name: string;
  op: ConditionOperator;
  kind: Kind;
  /** Of `IN` and `NOT_IN` all values, as values.ts reads them. */
  text: string;
}

export const operators = Object.keys(words) as ConditionOperator[];

/** The ways to type a value for an operator; none where it has no value. */
export function kindsOf(op: ConditionOperator): Kind[] {
  if (needsNoValue(op)) return [];
  if (op === 'CONTAINS') return ['TEXT', 'JSON'];
  if (op === 'EQ' || op === 'NEQ') return ['TEXT', 'NUMBER', 'BOOLEAN', 'JSON'];
  return ['TEXT', 'NUMBER', 'JSON'];
}

let keys = 0;

export function newCondition(): ConditionDraft {
  return { key: `c${(keys += 1)}`, name: '', op: 'EQ', kind: 'TEXT', text: '' };
}

/** What keeps of a value when another operator or another type is chosen. */
export function withOp(condition: ConditionDraft, op: ConditionOperator): ConditionDraft {
  const { kind, text } = condition;
  const kinds = kindsOf(op);
  const moved = kinds.includes(kind) || kinds.length === 0 ? kind : 'TEXT';
  const same = kind === 'JSON' || text === '' || takesList(op) === takesList(condition.op);
  if (same) return { ...condition, op, kind: moved };
  // What was typed for one value may have been meant as a list; a list is more than one value.
  return { ...condition, op, kind: moved, text: takesList(op) ? text : (listOf(text)[0] ?? '') };
}

/** The values of a list, each as its text. */
export const listOf = (typed: string): string[] => splitValues(typed).map(({ text }) => text);

interface StoredCondition {
  op: ConditionOperator;
  value?: unknown;
}

export function conditionDraft(name: string, { op, value }: StoredCondition): ConditionDraft {
  const draft = { ...newCondition(), name, op };
  if (needsNoValue(op)) return draft;
  const values = takesList(op) && Array.isArray(value) ? (value as unknown[]) : [value];
  const kinds = new Set(values.map(kindOf));
  const [kind] = kinds;
  if (kinds.size !== 1 || kind === undefined || !kindsOf(op).includes(kind))
    return { ...draft, kind: 'JSON', text: JSON.stringify(value) };
  return { ...draft, kind, text: takesList(op) ? writtenList(values.map(String)) : String(value) };
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'number') return 'NUMBER';
  if (typeof value === 'boolean') return 'BOOLEAN';
  // A field of one line would drop a line break.
  return typeof value === 'string' && !/[\r\n]/.test(value) && value !== '' ? 'TEXT' : 'JSON';
}

export const isNumber = (text: string): boolean =>
  /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));

/** Undefined where the operator takes no value. Throws where the text is no JSON: `problemOf` says so first. */
export function valueOf({ op, kind, text }: ConditionDraft): unknown {
  if (needsNoValue(op)) return undefined;
  if (kind === 'JSON') return JSON.parse(text);
  return takesList(op) ? listOf(text).map((one) => typedOne(kind, one)) : typedOne(kind, text);
}

function typedOne(kind: Kind, text: string): string | number | boolean {
  if (kind === 'NUMBER') return Number(text);
  return kind === 'BOOLEAN' ? text === 'true' : text;
}

/** What is wrong with the value, or null. What the service alone knows, it says itself. */
export function problemOf(condition: ConditionDraft): string | null {
  const { op, kind, text } = condition;
  if (needsNoValue(op)) return null;
  if (kind === 'JSON') return jsonProblem(condition);
  const values = takesList(op) ? listOf(text) : [text];
  if (values.length === 0) return 'Enter a value; "" is the empty text.';
  if (values.length > 100) return 'A list has at most 100 values.';
  if (kind === 'NUMBER') return values.every(isNumber) ? null : 'Enter a number, like 20 or 9.99.';
  if (text === '') return op === 'CONTAINS' ? 'Enter a text.' : emptyText;
  return values.some((one) => [...one].length > 8_192) ? 'A text has at most 8,192 characters.' : null;
}

const emptyText = 'Enter a value. For the empty text choose JSON and write "".';

function jsonProblem({ op, text }: ConditionDraft): string | null {
  try {
    const value: unknown = JSON.parse(text);
    if (takesList(op) && !Array.isArray(value)) return 'Enter a list as JSON, like ["a", 5, true].';
    if (!takesList(op) && typeof value === 'object') return 'Enter a text, a number or true or false as JSON.';
    return null;
  } catch {
    return takesList(op) ? 'Enter a list as JSON, like ["a", 5, true].' : 'Enter the value as JSON, like "a" or 5.';
  }
}
