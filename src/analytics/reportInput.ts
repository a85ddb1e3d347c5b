// Reads the inputs of the reports into checked questions; the time zone is null where it is the application's.
import type {
  ActivityInput,
  EventSeriesInput,
  FunnelInput,
  FunnelWindowInput,
  RetentionInput,
  RetentionReturnInput,
  RetentionStartInput,
  RevenueInput,
} from '../../generated/graphql.ts';
import { type EveryField, type InputRules, readWholeNumber } from '../platform/inputRules.ts';
import {
  type GivenRange,
  mostDays,
  mostDaysByHour,
  readBreakdown,
  readOptionalName,
  readRange,
  readSelection,
  readSelections,
  readTimeZone,
} from './questionInput.ts';
import type {
  ActivityQuestion,
  EventSelection,
  EventSeriesQuestion,
  FunnelQuestion,
  Measure,
  Report,
  RetentionQuestion,
  RevenueQuestion,
} from './questions.ts';

/** A question before its application is known. */
export type Zoneless<Question extends Report> = Omit<Question, 'timeZone'> & { timeZone: string | null };

type OfReport = 'applicationId' | 'from' | 'to' | 'timeZone' | 'includeTest';

interface GivenReport extends GivenRange {
  applicationId: string;
  timeZone?: string | null | undefined;
  includeTest?: boolean | null | undefined;
}

function readReport(rules: InputRules, path: string, given: GivenReport & { most?: number }): Zoneless<Report> {
  const { applicationId, from, to, most = mostDays } = given;
  const timeZone = readTimeZone(rules, `${path}.timeZone`, given.timeZone);
  return {
    applicationId,
    ...readRange(rules, path, { from, to, most }),
    timeZone,
    includeTest: given.includeTest ?? false,
  };
}

export function readActivityInput(
  rules: InputRules,
  path: string,
  input: EveryField<ActivityInput, Record<OfReport | 'interval' | 'unit' | 'compare', true>>,
): Zoneless<ActivityQuestion> {
  const { interval, unit, compare } = input;
  return {
    ...readReport(rules, path, input),
    interval: interval ?? 'DAY',
    unit: unit ?? 'DEVICE',
    compare: compare ?? false,
  };
}

const measuresOfNumbers: readonly Measure[] = ['SUM', 'AVERAGE', 'MEDIAN', 'P90'];

export function readEventSeriesInput(
  rules: InputRules,
  path: string,
  input: EveryField<
    EventSeriesInput,
    Record<OfReport | 'events' | 'measure' | 'property' | 'breakdown' | 'interval' | 'unit', true>
  >,
): Zoneless<EventSeriesQuestion> {
  const [interval, measure] = [input.interval ?? 'DAY', input.measure ?? 'COUNT'];
  const property = readOptionalName(rules, `${path}.property`, input.property);
  const needed = measuresOfNumbers.includes(measure);
  if (needed && property === null) rules.refuse(`${path}.property`, `is required with ${measure}`);
  if (!needed && property !== null) rules.refuse(`${path}.property`, `must be absent with ${measure}`);
  return {
    ...readReport(rules, path, { ...input, most: interval === 'HOUR' ? mostDaysByHour : mostDays }),
    interval,
    unit: input.unit ?? 'DEVICE',
    events: readSelections(rules, `${path}.events`, { given: input.events, length: [1, 5] }),
    measure,
    property,
    breakdown: readBreakdown(rules, `${path}.breakdown`, input.breakdown),
  };
}

export function readFunnelInput(
  rules: InputRules,
  path: string,
  input: EveryField<FunnelInput, Record<OfReport | 'steps' | 'within' | 'order' | 'breakdown' | 'unit', true>>,
): Zoneless<FunnelQuestion> {
  return {
    ...readReport(rules, path, input),
    unit: input.unit ?? 'DEVICE',
    steps: readSelections(rules, `${path}.steps`, { given: input.steps, length: [2, 8] }),
    withinMicros: readWindow(rules, `${path}.within.value`, input.within),
    order: input.order ?? 'ORDERED',
    breakdown: readBreakdown(rules, `${path}.breakdown`, input.breakdown),
  };
}

const windowUnits = { MINUTE: 60, HOUR: 3_600, DAY: 86_400 };
const longestWindow = 366 * windowUnits.DAY;

function readWindow(
  rules: InputRules,
  path: string,
  { value, unit }: EveryField<FunnelWindowInput, Record<'value' | 'unit', true>>,
): bigint {
  const seconds = windowUnits[unit];
  const given = readWholeNumber(rules, path, { value, least: 1, most: longestWindow / seconds });
  return BigInt(given ?? 0) * BigInt(seconds) * 1_000_000n;
}

export function readRetentionInput(
  rules: InputRules,
  path: string,
  input: EveryField<
    RetentionInput,
    Record<OfReport | 'start' | 'returning' | 'interval' | 'mode' | 'periods' | 'unit', true>
  >,
): Zoneless<RetentionQuestion> {
  return {
    ...readReport(rules, path, input),
    interval: input.interval ?? 'DAY',
    unit: input.unit ?? 'DEVICE',
    start: readStart(rules, `${path}.start`, input.start),
    returning: readReturning(rules, `${path}.returning`, input.returning),
    mode: input.mode ?? 'ON',
    periods: readWholeNumber(rules, `${path}.periods`, { value: input.periods, least: 1, most: 53 }) ?? 12,
  };
}

/** Null: the first activity ever. */
function readStart(
  rules: InputRules,
  path: string,
  { firstSeen, event }: EveryField<RetentionStartInput, Record<'firstSeen' | 'event', true>>,
): EventSelection | null {
  if (firstSeen === false) rules.refuse(`${path}.firstSeen`, 'must be true');
  return event ? readSelection(rules, `${path}.event`, event) : null;
}

/** Null: any activity. */
function readReturning(
  rules: InputRules,
  path: string,
  { any, event }: EveryField<RetentionReturnInput, Record<'any' | 'event', true>>,
): EventSelection | null {
  if (any === false) rules.refuse(`${path}.any`, 'must be true');
  return event ? readSelection(rules, `${path}.event`, event) : null;
}

export function readRevenueInput(
  rules: InputRules,
  path: string,
  input: EveryField<RevenueInput, Record<OfReport | 'currency' | 'interval' | 'breakdown', true>>,
): Zoneless<RevenueQuestion> {
  const { currency, interval, breakdown } = input;
  if (!/^[A-Z]{3}$/.test(currency)) rules.refuse(`${path}.currency`, 'must be three capital letters');
  return {
    ...readReport(rules, path, input),
    currency,
    interval: interval ?? 'DAY',
    breakdown: breakdown ?? 'NONE',
  };
}
