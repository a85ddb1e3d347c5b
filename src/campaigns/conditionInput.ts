// Reads one condition of a campaign edit, with the kind of value that its operator takes. See schema.graphql, "Conditions".
import type { InputRules } from '../platform/inputRules.ts';
import type { Condition, ConditionOperator, ConditionValue } from './campaignRecord.ts';

const longestText = 8_192;
const longestList = 100;

/** Reports the problem of a value at its path. */
type Check = (rules: InputRules, path: string, value: unknown) => void;

const checks: Record<ConditionOperator, Check> = {
  EQ: checkPrimitive,
  NEQ: checkPrimitive,
  GT: checkOrdered,
  GTE: checkOrdered,
  LT: checkOrdered,
  LTE: checkOrdered,
  IN: checkList,
  NOT_IN: checkList,
  CONTAINS: checkPart,
  EXISTS: checkNothing,
  NOT_EXISTS: checkNothing,
};

/** `path` is the condition's. The stored condition has no value where the operator takes none. */
export function readCondition(
  rules: InputRules,
  path: string,
  { op, value }: { op: ConditionOperator; value?: unknown },
): Condition {
  checks[op](rules, `${path}.value`, value ?? null);
  return value == null ? { op } : { op, value: value as ConditionValue };
}

function checkPrimitive(rules: InputRules, path: string, value: unknown): void {
  if (typeof value === 'string') rules.text(path, value, longestText);
  else if (typeof value === 'number') checkNumber(rules, path, value);
  else if (typeof value !== 'boolean') rules.refuse(path, 'must be a string, a number or a boolean');
}

/** Reading has rounded a larger whole number, so the comparison would use another number. */
function checkNumber(rules: InputRules, path: string, value: number): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    rules.refuse(path, 'must not be a whole number beyond 2^53-1');
  }
}

function checkOrdered(rules: InputRules, path: string, value: unknown): void {
  if (typeof value === 'string' || typeof value === 'number') checkPrimitive(rules, path, value);
  else rules.refuse(path, 'must be a number or a string');
}

function checkPart(rules: InputRules, path: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') rules.text(path, value, longestText);
  else rules.refuse(path, 'must be a string that is not empty');
}

function checkList(rules: InputRules, path: string, value: unknown): void {
  if (!Array.isArray(value) || value.length < 1 || value.length > longestList) {
    rules.refuse(path, `must be a list of 1 to ${longestList} strings, numbers or booleans`);
  } else value.forEach((item, index) => checkPrimitive(rules, `${path}[${index}]`, item));
}

function checkNothing(rules: InputRules, path: string, value: unknown): void {
  if (value !== null) rules.refuse(path, 'must be absent: this operator compares with nothing');
}
