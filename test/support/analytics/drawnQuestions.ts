// Draws what questions share: dates around those of the sessions, a unit, filters and events by names that were drawn.
import fc from 'fast-check';
import type {
  ActivityQuestion,
  EventSelection,
  EventSeriesQuestion,
  Filter,
  FunnelQuestion,
  Property,
  PropertyValue,
  ReportInterval,
  RetentionQuestion,
  SeriesInterval,
  Unit,
} from '../../../src/analytics/questions.ts';
import { dateOf, dayNumber } from '../../../src/analytics/reportDays.ts';
import type { Drawn } from './drawn.ts';
import { eventNames, oddName, values } from './drawnSessions.ts';

export const units: fc.Arbitrary<Unit> = fc.constantFrom('DEVICE', 'USER');
export const reportIntervals: fc.Arbitrary<ReportInterval> = fc.constantFrom('DAY', 'WEEK', 'MONTH');
export const seriesIntervals: fc.Arbitrary<SeriesInterval> = fc.constantFrom('DAY', 'HOUR', 'WEEK', 'MONTH');

export interface Asked {
  from: string;
  to: string;
  timeZone: string;
  includeTest: boolean;
}

/** In the zone whose days were drawn, or in another. Ranges of one day, of a few, and beyond all sessions. */
export function askedAround({ around, timeZone }: Pick<Drawn, 'around' | 'timeZone'>): fc.Arbitrary<Asked> {
  const some = fc.record({ offset: fc.integer({ min: -14, max: 8 }), days: fc.oneof(fc.nat(3), fc.nat(40)) });
  const near = fc.record({ offset: fc.constantFrom(0, -1, 1), days: fc.nat(2) });
  const all = fc.constant({ offset: -14, days: 40 });
  return fc
    .record({
      range: fc.oneof(some, near, near, all, all),
      timeZone: fc.oneof({ weight: 4, arbitrary: fc.constant(timeZone) }, fc.constantFrom('UTC', 'Asia/Tokyo')),
      includeTest: fc.boolean(),
    })
    .map(({ range: { offset: first, days }, ...asked }) => ({
      from: dateOf(dayNumber(around) + first),
      to: dateOf(dayNumber(around) + first + days),
      ...asked,
    }));
}

export const properties: fc.Arbitrary<Property> = fc.constantFrom<Property>(
  { scope: 'EVENT', property: 'p' },
  { scope: 'EVENT', property: 'q' },
  { scope: 'EVENT', property: oddName },
  { scope: 'USER', property: 'p' },
  { scope: 'DEVICE', property: 'country' },
  { scope: 'DEVICE', property: 'appVersion' },
);

/** Also those that devices have, and a zero that equals the other one. */
const value = fc.oneof(fc.constantFrom(...values), fc.constantFrom<PropertyValue>('DE', 'iOS', 1_000_000, -0));
const condition = fc.oneof(
  fc.record({ op: fc.constantFrom('EQ' as const, 'NEQ' as const), value }),
  fc.record({
    op: fc.constantFrom('GT' as const, 'GTE' as const, 'LT' as const, 'LTE' as const),
    value: value.filter((each) => typeof each !== 'boolean'),
  }),
  fc.record({
    op: fc.constantFrom('IN' as const, 'NOT_IN' as const),
    value: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ op: fc.constant('CONTAINS' as const), value: fc.constantFrom('a', '1', 'tr', 'ä', '\u{1f600}') }),
  fc.record({ op: fc.constantFrom('EXISTS' as const, 'NOT_EXISTS' as const) }),
);

export const someFilters: fc.Arbitrary<Filter[]> = fc.array(
  fc.tuple(properties, condition).map(([property, each]): Filter => ({ ...property, ...each })),
  { minLength: 1, maxLength: 2 },
);

export const filters: fc.Arbitrary<Filter[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Filter[]>([]) },
  { weight: 1, arbitrary: someFilters },
);

export const selections: fc.Arbitrary<EventSelection> = fc.record({
  name: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<string>('A', 'A', 'A', ...eventNames) },
    { weight: 1, arbitrary: fc.constant('EventTriggered') },
  ),
  system: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  filters,
});

type Unasked<Question> = Omit<Question, 'applicationId'>;
type About = Pick<Drawn, 'around' | 'timeZone'>;

export function activityQuestions(about: About): fc.Arbitrary<Unasked<ActivityQuestion>> {
  return fc
    .record({ asked: askedAround(about), interval: reportIntervals, unit: units, compare: fc.boolean() })
    .map(({ asked, ...rest }) => ({ ...asked, ...rest }));
}

/** Without one, lines have more events. */
const breakdowns = fc.option(properties, { freq: 2 });

const counting = fc.record({
  measure: fc.constantFrom('COUNT' as const, 'UNIQUE' as const, 'PER_UNIT' as const),
  property: fc.constant(null),
});
/** `max` in place of `sum` shows only in a line with numbers on two days. */
const measuring = fc.record({
  measure: fc.oneof(
    fc.constant('SUM' as const),
    fc.constantFrom('SUM' as const, 'AVERAGE' as const, 'MEDIAN' as const, 'P90' as const),
  ),
  property: fc.constantFrom('p', 'p', 'p', 'q'),
});

/** All events of the most frequent name: a line with many numbers on many days. */
const frequent = fc.constant<EventSelection[]>([{ name: 'A', system: false, filters: [] }]);

export function eventSeriesQuestions(about: About): fc.Arbitrary<Unasked<EventSeriesQuestion>> {
  return fc
    .record({
      asked: askedAround(about),
      interval: seriesIntervals,
      unit: units,
      events: fc.oneof(fc.array(selections, { minLength: 1, maxLength: 3 }), frequent),
      measured: fc.oneof(counting, measuring, measuring),
      breakdown: breakdowns,
    })
    .map(({ asked, measured, ...rest }) => ({ ...asked, ...measured, ...rest }));
}

/** Windows in which a step falls on the last instant, and the instant after it. */
const windows = fc.constantFrom(60_000_000n, 3_600_000_000n, 86_400_000_000n, 7n * 86_400_000_000n);

export function funnelQuestions(about: About): fc.Arbitrary<Unasked<FunnelQuestion>> {
  return fc
    .record({
      asked: askedAround(about),
      unit: units,
      steps: fc.array(selections, { minLength: 2, maxLength: 4 }),
      withinMicros: windows,
      order: fc.constantFrom('ORDERED' as const, 'ANY' as const),
      breakdown: breakdowns,
    })
    .map(({ asked, ...rest }) => ({ ...asked, ...rest }));
}

export function retentionQuestions(about: About): fc.Arbitrary<Unasked<RetentionQuestion>> {
  return fc
    .record({
      asked: askedAround(about),
      interval: reportIntervals,
      unit: units,
      start: fc.option(selections, { freq: 2 }),
      returning: fc.option(selections, { freq: 2 }),
      mode: fc.constantFrom('ON' as const, 'ON_OR_AFTER' as const),
      periods: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ asked, ...rest }) => ({ ...asked, ...rest }));
}
