// The rules for texts in the admin API's inputs (schema.graphql, "Limits"). Each check notes its problem, and one error reports all.
import { randomBytes } from 'node:crypto';
import { AppError, type FieldError } from './errors.ts';
import { byteOf } from './json/jsonBytes.ts';

const whiteSpace = /^\p{White_Space}$/u;
/** The same number as in the public API. A body of 100 kB can have 20,000 problems. */
const mostFields = 100;
// A name is shown in mails and on one line of a page.
const lineBreaking = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** An embedding or isolate that a name opens goes on behind it: a member's name could turn the address beside it around. */
const directing = /[\u202a-\u202e\u2066-\u2069]/;
/** Pages make links of pictures. Browsers drop white space and control characters inside of a scheme. */
const script = /^(?:javascript|vbscript|data(?!:image\/)):/i;
const dropped = /[\p{Cc}\p{White_Space}]/gu;

export interface InputRules {
  /** Only the first problem of a path is reported. */
  refuse(path: string, message: string): void;
  /** Checks a text: storable, and at most this many code points. */
  text(path: string, value: string, most: number): string;
  /** Checks a name: 1 to 256 code points on one line, in its own direction, not blank, no white space around it. */
  name(path: string, value: string): string;
  /** The name in an edit: absent means unchanged, null is refused. A `required` name must not be absent. */
  editedName(path: string, value: string | null | undefined, required: boolean): string | undefined;
  /** The picture in an edit: absent means unchanged, null and an empty text clear it. */
  picture(path: string, value: string | null | undefined): string | null | undefined;
  /** Checks for one of these words. Null and absent are refused. */
  oneOf<Word extends string>(path: string, value: string | null | undefined, words: readonly Word[]): Word | undefined;
  /** Throws `validation_failed` with the first hundred problems, if there is any. */
  assert(): void;
}

export function inputRules(): InputRules {
  const fields: FieldError[] = [];
  const refuse = (path: string, message: string): void => {
    if (fields.length < mostFields && fields.every((field) => field.path !== path)) fields.push({ path, message });
  };
  function text(path: string, value: string, most: number): string {
    if (!isStorableText(value)) refuse(path, 'must not contain U+0000 or half of a surrogate pair');
    else if (isLongerThan(value, most)) refuse(path, `must have at most ${most} characters`);
    return value;
  }
  function name(path: string, value: string): string {
    const result = trimmed(value);
    const fault = faultOfName(result);
    if (fault !== null) refuse(path, fault);
    return text(path, result, 256);
  }
  return {
    refuse,
    text,
    name,
    editedName(path, value, required) {
      if (typeof value === 'string') return name(path, value);
      if (value === null) refuse(path, 'must not be null');
      else if (required) refuse(path, 'is required');
      return undefined;
    },
    picture(path, value) {
      if (isScript(value)) refuse(path, 'must not be a URL that runs in a page');
      return typeof value === 'string' ? text(path, value, 2_048) || null : value;
    },
    oneOf(path, value, words) {
      const word = words.find((known) => known === value);
      if (word === undefined) refuse(path, `must be one of ${words.join(', ')}`);
      return word;
    },
    assert() {
      if (fields.length > 0) throw new AppError('validation_failed', { fields });
    },
  };
}

function faultOfName(name: string): string | null {
  if (name === '') return 'must not be blank';
  if (lineBreaking.test(name)) return 'must not contain line breaks or other control characters';
  return directing.test(name) ? 'must not contain characters that direct the text around them' : null;
}

function isScript(picture: string | null | undefined): boolean {
  return script.test((picture ?? '').replace(dropped, ''));
}

/** Whether PostgreSQL stores this text and gives it back unchanged. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Counts code points only as far as needed: a body may hold 100,000. */
export function isLongerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  return [...text].length > codePoints;
}

export function isBlank(text: string): boolean {
  return trimmed(text) === '';
}

/** Checks a name that is compared with an app's own text: 1 to 256 code points, not blank, nothing trimmed. */
export function readExactName(rules: InputRules, path: string, value: string): string {
  if (isBlank(value)) rules.refuse(path, 'must not be blank');
  else rules.text(path, value, 256);
  return value;
}

/** Null and absent give null. */
export function readWholeNumber(
  rules: InputRules,
  path: string,
  { value, least, most }: { value: number | null | undefined; least: number; most: number },
): number | null {
  if (value == null) return null;
  if (!Number.isInteger(value) || value < least || value > most) {
    rules.refuse(path, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

const longestPage = 200;

/** A list's `limit`: null and absent mean the default. */
export function readLimit(
  rules: InputRules,
  limit: number | null | undefined,
  { byDefault, longest = longestPage }: { byDefault: number; longest?: number },
): number {
  const wanted = limit ?? byDefault;
  if (wanted < 1 || wanted > longest) rules.refuse('limit', `must be 1 to ${longest}`);
  return wanted;
}

export function readOffset(rules: InputRules, offset: number | null | undefined): number {
  const wanted = offset ?? 0;
  if (wanted < 0) rules.refuse('offset', 'must be 0 or more');
  return wanted;
}

/** Unicode white space. Not a regular expression: one for the end of the text is quadratic in inner white space. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && whiteSpace.test(text[start]!)) start += 1;
  while (end > start && whiteSpace.test(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}

// A type that makes the compiler name the reader of an input when the contract gets a new field.

/** `Input` itself. It does not compile when `Named` lacks a field of `Input`, as `Record<'id' | 'name', true>` lacks `image`. */
export type EveryField<Input, Named extends Record<keyof Input, true>> = Pick<Input, keyof Named & keyof Input>;

// Refuses a further object where a place has as many as it may have (schema.graphql, "Numbers of objects").

interface Room {
  /** Those that are there. */
  count: number;
  most: number;
  /** The argument that names the place. */
  path: string;
  /** In the plural. */
  objects: string;
}

/** Throws `validation_failed`. Where the transaction holds the place, many at once never go beyond `most`. */
export function assertRoom({ count, most, path, objects }: Room): void {
  if (count < most) return;
  throw new AppError('validation_failed', { fields: [{ path, message: `has ${most} ${objects} already` }] });
}

// Reads ISO 8601 instants, for the contract's `date-time` format and for the rows (openapi.yaml, "Dates and times").

const zones = /^(?:Z|[+-]\d{2}(?::?\d{2})?)$/;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const shortest = 'YYYY-MM-DDThh:mmZ'.length;
const lengthTo = { minute: 'YYYY-MM-DDThh:mm'.length, second: 'YYYY-MM-DDThh:mm:ss'.length };
const letters = { T: 0x54, Z: 0x5a };

/**
 * Unix seconds with the fraction, or null when the text is no such instant. Seconds are optional and have any number of
 * fraction digits (kept to the microsecond). The zone is `Z` or an offset `+hh:mm`, `+hhmm` or `+hh` up to ±23:59. The
 * date is a real calendar date in the years 0001–9999. Written by hand: an upload holds one instant for each event, and
 * one pattern with its groups took half of validation.
 */
export function parseIsoDateTime(text: string): number | null {
  const bytes = Buffer.from(text);
  return instantIn(bytes, 0, bytes.length);
}

/** The same of a text in UTF-8: taking the characters from a string that is a part of another takes five times as long. */
export function instantIn(bytes: Buffer, start: number, end: number): number | null {
  if (end - start < shortest) return null;
  const minutes = wholeMinutes(bytes, start);
  if (Number.isNaN(minutes)) return null;
  const atFullMinute = bytes[start + lengthTo.minute] !== byteOf.colon;
  // Common libraries leave the seconds out at a full minute.
  if (atFullMinute) return withZone(minutes, bytes.toString('latin1', start + lengthTo.minute, end));
  const point = start + lengthTo.second;
  const second = point < end ? twoDigits(bytes, point - 2) : NaN;
  if (!(second <= 59)) return null;
  const seconds = minutes + second;
  const zone = endOfFraction(bytes, point, end);
  if (bytes[zone] === letters.Z && zone + 1 === end) return seconds + fraction(bytes, point + 1, zone);
  return withZone(seconds, bytes.toString('latin1', zone, end), fraction(bytes, point + 1, zone));
}

function withZone(seconds: number, zone: string, part = 0): number | null {
  const offset = offsetSeconds(zone);
  return offset === null ? null : seconds - offset + part;
}

/** Where the zone begins. A point or comma without a digit behind it belongs to the zone, which then has no form. */
function endOfFraction(bytes: Buffer, point: number, end: number): number {
  if (bytes[point] !== byteOf.point && bytes[point] !== byteOf.comma) return point;
  let at = point + 1;
  while (at < end && bytes[at]! >= byteOf.zero && bytes[at]! <= byteOf.nine) at++;
  return at === point + 1 ? point : at;
}

/** To the microsecond, cut rather than rounded: nines without end must not reach the next second. */
function fraction(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  let unit = 1;
  for (let at = start; at < Math.min(end, start + 6); at++) {
    value = value * 10 + bytes[at]! - byteOf.zero;
    unit *= 10;
  }
  return value / unit;
}

/** The Unix seconds of `YYYY-MM-DDThh:mm` at this place, taken as UTC; NaN where there is none. */
function wholeMinutes(bytes: Buffer, at: number): number {
  const isDate = bytes[at + 4] === byteOf.minus && bytes[at + 7] === byteOf.minus && bytes[at + 10] === letters.T;
  if (!isDate || bytes[at + 13] !== byteOf.colon) return NaN;
  const year = twoDigits(bytes, at) * 100 + twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  const hour = twoDigits(bytes, at + 11);
  const minute = twoDigits(bytes, at + 14);
  // Comparisons with NaN are false.
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= lengthOfMonth(year, month))) return NaN;
  if (!(hour <= 23 && minute <= 59)) return NaN;
  return daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60;
}

function twoDigits(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - byteOf.zero;
  const ones = bytes[at + 1]! - byteOf.zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

function lengthOfMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : daysInMonth[month - 1]!;
}

/** By the proleptic Gregorian calendar, counting years from March, so that a leap day is a year's last. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + dayOfYear - 719_468;
}

function offsetSeconds(zone: string): number | null {
  if (zone === 'Z') return 0;
  if (!zones.test(zone)) return null;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

// Reads the offset from UTC at the end of an ISO 8601 date-time (openapi.yaml, "Dates and times").

const offset = /([+-])(\d{2})(?::?(\d{2}))?$/;

/** Minutes east of UTC, 0 for `Z`. `text` is a valid date-time, so that it ends with its zone. */
export function utcOffsetMinutes(text: string): number {
  if (text.endsWith('Z')) return 0;
  const [, sign, hours, minutes = '0'] = offset.exec(text)!;
  const east = Number(hours) * 60 + Number(minutes);
  // The sum makes 0 of the -0 of `-00:00`.
  return (sign === '-' ? -east : east) + 0;
}

// The text form of UUIDs: recognizes one, and writes 32 hexadecimal digits as one.

export const lowercaseUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const anyUuid = new RegExp(lowercaseUuid, 'i');

/** In upper, lower or mixed case. */
export function isUuid(text: string): boolean {
  return anyUuid.test(text);
}

export function uuidOfHex(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

// Makes row ids: UUIDs of version 7. They sort by their millisecond, so new rows go to the right edge of the index.

export function newId(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidOfHex(bytes.toString('hex'));
}
