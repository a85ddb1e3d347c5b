// The scalars of schema.graphql. They check each input as the descriptions there promise.
import { Kind, valueFromASTUntyped, visit, type GraphQLScalarType, type ValueNode } from 'graphql';
import { isStorableText } from '../platform/inputRules.ts';
import { parseIsoDateTime } from '../platform/isoDateTime.ts';
import { isUuid } from '../platform/uuid.ts';

/** Only functions: a whole GraphQLScalarType would replace the description in schema.graphql by an empty one. */
type Scalar = Pick<GraphQLScalarType, 'serialize' | 'parseValue' | 'parseLiteral'>;

const deepestJson = 32;

function stringOf(node: ValueNode): string | undefined {
  return node.kind === Kind.STRING ? node.value : undefined;
}

function readUuid(value: unknown): string {
  if (typeof value !== 'string' || !isUuid(value)) throw new TypeError('It must be a UUID.');
  return value.toLowerCase();
}

/** Not the library's UUID: it accepts braces and keeps the case, so one id would have four spellings. */
const UUID: Scalar = {
  serialize: readUuid,
  parseValue: readUuid,
  parseLiteral: (node) => readUuid(stringOf(node)),
};

const fraction = /(?<=:\d\d:\d\d)[.,](\d+)/;

/**
 * Null for 30 February, which `Date.parse` accepts. RFC 3339 allows small letters. The milliseconds are read from their
 * digits: in the year 9999 a double in seconds is 31 µs wide, and .999 could become .998.
 */
function parseDateTime(given: string): Date | null {
  const text = given.toUpperCase();
  const seconds = parseIsoDateTime(text.replace(fraction, ''));
  const millis = Number((fraction.exec(text)?.[1] ?? '').slice(0, 3).padEnd(3, '0'));
  return seconds === null ? null : new Date(seconds * 1_000 + millis);
}

function readDateTime(value: unknown): Date {
  const moment = typeof value === 'string' ? parseDateTime(value) : null;
  const year = moment?.getUTCFullYear() ?? 0;
  if (!moment || year < 1 || year > 9999) {
    throw new TypeError('It must be a date and time with an offset, in the years 0001 to 9999.');
  }
  return moment;
}

function writeDateTime(value: unknown): string {
  if (!(value instanceof Date)) throw new TypeError('A DateTime is written from a Date.');
  return value.toISOString();
}

const DateTime: Scalar = {
  serialize: writeDateTime,
  parseValue: readDateTime,
  parseLiteral: (node) => readDateTime(stringOf(node)),
};

const calendarDate = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Refuses 30 February, which `Date.parse` moves to March. */
function readCalendarDate(value: unknown): string {
  const text = typeof value === 'string' && calendarDate.test(value) ? value : '';
  const parsed = new Date(`${text}T00:00:00.000Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
  if (!exists || text < '0001')
    throw new TypeError('It must be a calendar date, YYYY-MM-DD, in the years 0001 to 9999.');
  return text;
}

const CalendarDate: Scalar = {
  serialize: readCalendarDate,
  parseValue: readCalendarDate,
  parseLiteral: (node) => readCalendarDate(stringOf(node)),
};

function checkText(text: string): void {
  if (!isStorableText(text)) throw new TypeError('It must not contain U+0000 or half of a surrogate pair.');
}

/** Stops at the limit: a body of brackets would exhaust the stack here or later in `JSON.stringify`. */
function checkJson(value: unknown, depth: number): void {
  if (typeof value === 'string') checkText(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError('It must not contain a number beyond double precision.');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === deepestJson) throw new TypeError(`It must not nest more than ${deepestJson} levels.`);
  for (const [key, item] of Object.entries(value)) {
    checkText(key);
    checkJson(item, depth + 1);
  }
}

function readJson(value: unknown): unknown {
  checkJson(value, 0);
  return value;
}

function refuseEnumValue(): never {
  throw new TypeError('It must be JSON: text needs quotation marks.');
}

/** The value of a literal. Own properties only: an absent variable `$constructor` must not find `Object.prototype.constructor`. */
function readLiteral(node: ValueNode, variables: Readonly<Record<string, unknown>> = {}): unknown {
  const sent = Object.create(null) as Record<string, unknown>;
  visit(node, {
    EnumValue: refuseEnumValue,
    Variable({ name }) {
      if (Object.hasOwn(variables, name.value)) sent[name.value] = variables[name.value];
    },
  });
  return valueFromASTUntyped(node, sent);
}

const JsonScalar: Scalar = {
  serialize: (value) => value,
  parseValue: readJson,
  parseLiteral: (node, variables) => readJson(readLiteral(node, variables ?? undefined)),
};

export const scalars = { UUID, DateTime, Date: CalendarDate, JSON: JsonScalar };
