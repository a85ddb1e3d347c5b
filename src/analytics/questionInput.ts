// Reads what all questions share: dates, time zone, names and pages, by the rules of schema.graphql, "Analytics".
import { readExactName, readLimit, type InputRules } from '../platform/inputRules.ts';
import { isKnownTimeZone } from '../workspace/timeZone.ts';
import { readCursor, type Cursor, type CursorShape } from './pageCursor.ts';
import { dayNumber } from './reportDays.ts';

export const mostDays = 731;
export const mostDaysByHour = 31;
const earliest = '1970-01-01';

export interface GivenRange {
  from: string;
  to: string;
}

/** `most` is the largest number of days, both ends included. */
export function readRange(
  rules: InputRules,
  path: string,
  { from, to, most }: GivenRange & { most: number },
): GivenRange {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (from < earliest) rules.refuse(at('from'), `must not be before ${earliest}`);
  if (to < from) rules.refuse(at('to'), 'must not be before `from`');
  else if (dayNumber(to) - dayNumber(from) >= most)
    rules.refuse(at('to'), `must be at most ${most} days with \`from\``);
  return { from, to };
}

/** Null: the application's. */
export function readTimeZone(rules: InputRules, path: string, value: string | null | undefined): string | null {
  if (value == null) return null;
  if (!isKnownTimeZone(value)) rules.refuse(path, 'must be a name of the IANA time zone database');
  return value;
}

/** A text that is compared as it is. Null where it is absent. */
export function readOptionalName(rules: InputRules, path: string, value: string | null | undefined): string | null {
  return value == null ? null : readExactName(rules, path, value);
}

/** In lower case; null where there is nothing to search for. */
export function readSearch(rules: InputRules, value: string | null | undefined): string | null {
  const text = rules.text('search', value ?? '', 256);
  return /^\p{White_Space}*$/u.test(text) ? null : text.toLowerCase();
}

const defaultPage = 50;

export interface Page {
  limit: number;
  /** Null: from the first node on. */
  after: Cursor | null;
}

interface GivenPage {
  limit?: number | null | undefined;
  after?: string | null | undefined;
}

/** A cursor has a part for each column of its list's order. */
export function readPage(rules: InputRules, { limit, after }: GivenPage, shape: CursorShape): Page {
  const wanted = readLimit(rules, limit, { byDefault: defaultPage });
  const cursor = after == null ? null : readCursor(after, shape);
  if (after != null && cursor === null) rules.refuse('after', 'must be an `endCursor` of this list');
  return { limit: wanted, after: cursor };
}
