// Reads what all questions share: dates, time zone, names and pages, by the rules of schema.graphql, "Analytics".
import type {
  BreakdownInput,
  EventSelectionInput,
  PropertyFilterInput,
  PropertyScope,
} from '../../generated/graphql.ts';
import { readCondition } from '../campaigns/campaignRecord.ts';
import { type EveryField, type InputRules, readExactName, readLimit } from '../platform/inputRules.ts';
import { isKnownTimeZone } from '../workspace/timeZone.ts';
import { type Cursor, type CursorShape, readCursor } from './pageCursor.ts';
import { deviceProperties, type EventSelection, type Filter, type Property, versionProperties } from './questions.ts';
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

// Reads events, filters and breakdowns of a question, by the rules of schema.graphql, "Filters".

const mostFilters = 20;

export function readSelection(
  rules: InputRules,
  path: string,
  input: EveryField<EventSelectionInput, Record<'name' | 'type' | 'filters', true>>,
): EventSelection {
  const name = readExactName(rules, `${path}.name`, input.name);
  return { name, system: input.type === 'SYSTEM', filters: readFilters(rules, `${path}.filters`, input.filters) };
}

/** A list of selections, as long as `length` allows. */
export function readSelections(
  rules: InputRules,
  path: string,
  { given, length: [least, most] }: { given: readonly EventSelectionInput[]; length: readonly [number, number] },
): EventSelection[] {
  if (given.length < least || given.length > most) rules.refuse(path, `must have ${least} to ${most} entries`);
  if (given.length > most) return [];
  return given.map((selection, index) => readSelection(rules, `${path}[${index}]`, selection));
}

type GivenFilters = readonly PropertyFilterInput[] | null | undefined;

export function readFilters(rules: InputRules, path: string, given: GivenFilters): Filter[] {
  return filtersOf(rules, path, { filters: given ?? [], scopes: ['EVENT', 'USER', 'DEVICE'] });
}

/** A device is no event, and has no parameters. */
export function readDeviceFilters(rules: InputRules, path: string, given: GivenFilters): Filter[] {
  return filtersOf(rules, path, { filters: given ?? [], scopes: ['USER', 'DEVICE'] });
}

function filtersOf(
  rules: InputRules,
  path: string,
  { filters, scopes }: { filters: readonly PropertyFilterInput[]; scopes: readonly PropertyScope[] },
): Filter[] {
  if (filters.length > mostFilters) {
    rules.refuse(path, `must have at most ${mostFilters} entries`);
    return [];
  }
  return filters.map((filter, index) => readFilter(rules, `${path}[${index}]`, { filter, scopes }));
}

type GivenFilter = EveryField<PropertyFilterInput, Record<'property' | 'scope' | 'op' | 'value', true>>;

function readFilter(
  rules: InputRules,
  path: string,
  { filter, scopes }: { filter: GivenFilter; scopes: readonly PropertyScope[] },
): Filter {
  const { op, value } = filter;
  if (!scopes.includes(filter.scope)) rules.refuse(`${path}.scope`, `must be one of ${scopes.join(', ')}`);
  const property = readProperty(rules, path, filter);
  const isVersion = filter.scope === 'DEVICE' && versionProperties.has(filter.property) && op !== 'CONTAINS';
  const compared = isVersion ? readVersions(rules, `${path}.value`, value) : value;
  return { ...property, ...readCondition(rules, path, { op, value: compared }) };
}

/** A text is a version as people write it. Whether the operator takes the value at all, its condition says. */
function readVersions(rules: InputRules, path: string, value: unknown): unknown {
  if (!Array.isArray(value)) return readVersion(rules, path, value);
  return value.map((one, index) => readVersion(rules, `${path}[${index}]`, one));
}

/**
 * In the recommended encoding (openapi.yaml, "Version integers"): `2.14.3` is 2014003, `17.5` is 17005000. Null for what is no
 * version. The dashboard, which imports nothing of the service, has its own; test/vectors/versions.json holds both.
 */
export function versionNumber(text: string): number | null {
  const parts = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:[-+ ].*)?$/su.exec(text);
  if (!parts) return null;
  const [major, minor, patch] = parts.slice(1, 4).map((part) => Number(part ?? 0)) as [number, number, number];
  const number = major * 1_000_000 + minor * 1_000 + patch;
  return minor < 1_000 && patch < 1_000 && Number.isSafeInteger(number) ? number : null;
}

function readVersion(rules: InputRules, path: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const number = versionNumber(value);
  if (number === null) rules.refuse(path, 'must be a version such as 2.14.3, or its whole number');
  return number ?? value;
}

export function readBreakdown(
  rules: InputRules,
  path: string,
  input: EveryField<BreakdownInput, Record<'scope' | 'property', true>> | null | undefined,
): Property | null {
  return input == null ? null : readProperty(rules, path, input);
}

function readProperty(rules: InputRules, path: string, { scope, property }: Property): Property {
  const at = `${path}.property`;
  readExactName(rules, at, property);
  if (scope === 'DEVICE' && !Object.hasOwn(deviceProperties, property)) {
    rules.refuse(at, `must be one of ${Object.keys(deviceProperties).join(', ')}`);
  }
  return { scope, property };
}
