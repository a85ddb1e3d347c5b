// Conditions on properties as the URL carries them and as the API takes them.
import { z } from 'zod';

export const operators = [
  'EQ',
  'NEQ',
  'GT',
  'GTE',
  'LT',
  'LTE',
  'IN',
  'NOT_IN',
  'CONTAINS',
  'EXISTS',
  'NOT_EXISTS',
] as const;

const one = z.union([z.string(), z.number(), z.boolean()]);

export const filter = z.object({
  scope: z.enum(['EVENT', 'USER', 'DEVICE']),
  property: z.string().min(1).max(256),
  op: z.enum(operators),
  value: z.union([one, z.array(one)]).optional(),
});

export type Filter = z.infer<typeof filter>;

export const filters = z.array(filter).max(20);

export const needsNoValue = (op: Filter['op']): boolean => op === 'EXISTS' || op === 'NOT_EXISTS';

type One = z.infer<typeof one>;

/** Text that is typed: `5` is a number, `true` is a boolean, `"5"` is a text; lists have commas. */
export function typedValue(text: string, op: Filter['op']): Filter['value'] {
  return op === 'IN' || op === 'NOT_IN' ? text.split(',').map((part) => typedOne(part.trim())) : typedOne(text);
}

function typedOne(text: string): One {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d+(\.\d+)?$/.test(text) && Number.isSafeInteger(Math.trunc(Number(text)))) return Number(text);
  const quoted = /^"(.*)"$/.exec(text);
  return quoted ? quoted[1]! : text;
}

/** The text from which `typedValue` makes the value again. */
export function textOf(value: Filter['value']): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' && typedOne(value) !== value ? `"${value}"` : String(value);
}
