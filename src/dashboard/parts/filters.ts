// Conditions on properties: as the URL carries them, as they are typed, as they are read aloud, and as the API takes them.
import { z } from 'zod';
import {
  quotedValue,
  splitValues,
  typedVersion,
  versionHint,
  versionNumber,
  versionText,
  writtenInList,
  type TypedValue,
} from './values.ts';

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

const filter = z.object({
  scope: z.enum(['EVENT', 'USER', 'DEVICE']),
  property: z.string().min(1).max(256),
  op: z.enum(operators),
  value: z.union([one, z.array(one)]).optional(),
});

export type Filter = z.infer<typeof filter>;

/** Older addresses have a version of two parts as the number 2.14, which no device sends. */
const withVersions = (given: Filter): Filter =>
  isVersion(given) && typeof given.value === 'number' && !Number.isInteger(given.value)
    ? { ...given, value: String(given.value) }
    : given;

export const filters = z.array(filter.transform(withVersions)).max(20);

export const words: Record<Filter['op'], string> = {
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
export const scopeWords: Record<Filter['scope'], string> = { EVENT: 'event', USER: 'user', DEVICE: 'device' };

/** The properties of a device that a filter knows: schema.graphql, "Filters". */
const deviceTexts = ['platform', 'country', 'deviceModel'];
const deviceVersions = ['appVersion', 'osVersion', 'sdkVersion', 'appInstallVersion'];
export const deviceProperties = [...deviceTexts, ...deviceVersions];

type Op = Filter['op'];
type Of = Omit<Filter, 'value'>;
type One = z.infer<typeof one>;

export const needsNoValue = (op: Op): boolean => op === 'EXISTS' || op === 'NOT_EXISTS';
export const takesList = (op: Op): boolean => op === 'IN' || op === 'NOT_IN';

const isVersion = ({ scope, property, op }: Of): boolean =>
  scope === 'DEVICE' && deviceVersions.includes(property) && op !== 'CONTAINS';

/** Where a number or a boolean could never be meant. */
const isText = ({ scope, property, op }: Of): boolean =>
  op === 'CONTAINS' || (scope === 'DEVICE' && deviceTexts.includes(property));

/**
 * What is asked for: `5` is a number, `true` a boolean where the comparison takes one, `"5"` a text. A version stays as it
 * is written, for the service reads it; digits alone are its number.
 */
export function typedValue(typed: string, of: Of): Filter['value'] {
  return takesList(of.op) ? splitValues(typed).map((value) => valueOf(value, of)) : valueOf(unquoted(typed), of);
}

function valueOf({ text, quoted }: TypedValue, of: Of): One {
  if (isVersion(of)) return /^\d+$/.test(text.trim()) ? Number(text) : text.trim();
  if (quoted || isText(of)) return text;
  const isOrdered = ['GT', 'GTE', 'LT', 'LTE'].includes(of.op);
  return typeof typedOne(text) === 'boolean' && isOrdered ? text : typedOne(text);
}

/** A number only where no digit is lost: `007` and an id of twenty digits are texts. */
function typedOne(text: string): One {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text;
  const digits = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  const isExact = String(Number(text)) === digits && Number.isSafeInteger(Math.trunc(Number(text)));
  return isExact ? Number(text) : text;
}

function unquoted(typed: string): TypedValue {
  const inside = /^"((?:[^"]|"")*)"$/.exec(typed);
  return inside ? { text: inside[1]!.replaceAll('""', '"'), quoted: true } : { text: typed, quoted: false };
}

/** Why what is typed cannot be asked, or null. */
export function problemOf(typed: string, of: Of): string | null {
  if (needsNoValue(of.op)) return null;
  if (takesList(of.op) ? splitValues(typed).length === 0 : typed === '') return 'Enter a value; "" is the empty text.';
  const values = [typedValue(typed, of)].flat() as One[];
  if (of.op === 'CONTAINS' && values[0] === '') return 'Enter a text.';
  if (values.length > 100) return 'A list has at most 100 values.';
  const wrong = isVersion(of) ? values.find((value) => typedVersion(String(value)) === null) : undefined;
  return wrong === undefined ? null : `Enter a version like 2.14.3, or its whole number: “${wrong}” is none.`;
}

/** What becomes of the typed text, for the line below the field. */
export function readAs(typed: string, of: Of): string {
  if (typed === '') {
    if (isVersion(of)) return 'a version like 2.14.3, or its whole number';
    return isText(of) ? 'a text' : 'a number, true or a text; "5" is the text 5';
  }
  if (isVersion(of)) return versionHint(unquoted(typed).text) ?? '';
  const value = typedValue(typed, of);
  if (typeof value === 'string') return `the text ${shownText(value)}`;
  return typeof value === 'number' ? `the number ${value}` : `the truth value ${String(value)}`;
}

/** In quotes where its ends could not be seen. */
const shownText = (text: string): string => (text.trim() === text && text !== '' ? text : quotedValue(text));

/** The text from which `typedValue` makes the value again. */
export function textOf(value: Filter['value']): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map(listedText).join(', ');
  return typeof value === 'string' && needsQuotes(value) ? quotedValue(value) : String(value);
}

const needsQuotes = (text: string): boolean =>
  typedOne(text) !== text || unquoted(text).quoted || shownText(text) !== text;

/** One value of a list. */
export function listedText(value: One): string {
  return typeof value === 'string' && !needsQuotes(value) ? writtenInList(value) : textOf(value);
}

/** The values of a filter as its label shows them, each apart. */
export function shownValues({ scope, property, op, value }: Filter): string[] {
  if (needsNoValue(op)) return [];
  const values = Array.isArray(value) ? value : [value ?? ''];
  if (isVersion({ scope, property, op })) return values.map(shownVersion);
  return Array.isArray(value) ? values.map(listedText) : [textOf(value)];
}

function shownVersion(value: One): string {
  const number = typeof value === 'string' ? versionNumber(value) : Number(value);
  if (number === null) return String(value);
  return versionText(number) === String(number) ? String(number) : `${versionText(number)} (${number})`;
}

export const namedBy = ({ scope, property, op }: Filter): string => `${scopeWords[scope]} ${property} ${words[op]}`;

export const wordsOf = (filter: Filter): string =>
  [namedBy(filter), shownValues(filter).join(', ')].filter((part) => part !== '').join(' ');

/** A filter while it is typed. */
export interface TypedFilter extends Of {
  value: string;
  /** Somebody has wanted to add it: its problems are shown. */
  tried: boolean;
}

/** A form in which nothing is typed asks for nothing. */
export const isUntouched = ({ property, value }: TypedFilter): boolean => property.trim() === '' && value === '';

/** Null where something is missing or cannot be asked. */
export function filterOf({ scope, property, op, value }: TypedFilter): Filter | null {
  const of = { scope, property, op };
  if (property.trim() === '' || problemOf(value, of) !== null) return null;
  return { ...of, ...(!needsNoValue(op) && { value: typedValue(value, of) }) };
}
