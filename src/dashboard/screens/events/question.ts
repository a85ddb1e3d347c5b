// The question of the events as its editor edits it, as the URL has it, as the API takes it, and in words.
import { daysOf, type Range } from '../../parts/range.ts';
import { isNamed, selectionInput, type Breakdown, type Selection } from '../../parts/selection.ts';
import type { EventsSearch, measures } from '../searches.ts';

export type Measure = (typeof measures)[number];

/** schema.graphql, "Days and other points": so many days at most by hour. */
const mostDaysByHour = 31;

/** What the editor edits. */
export interface Definition {
  events: Selection[];
  measure: Measure;
  /** Of the measures of a property. */
  property: string;
  breakdown: Breakdown | null;
}

export const measuresProperty = (measure: Measure): boolean => !['COUNT', 'UNIQUE', 'PER_UNIT'].includes(measure);

export const definitionOf = ({ events, measure, property, breakdown }: EventsSearch): Definition => ({
  events: events ?? [],
  measure: measure ?? 'COUNT',
  property: property ?? '',
  breakdown: breakdown ?? null,
});

export const searchOf = ({ events, measure, property, breakdown }: Definition): Partial<EventsSearch> => ({
  events: events.length > 0 ? events : undefined,
  measure: measure === 'COUNT' ? undefined : measure,
  property: property === '' ? undefined : property,
  breakdown: breakdown ?? undefined,
  // They are of the question before.
  lines: undefined,
});

/** A definition as the API can take it: rows and properties that are not chosen yet are left out. */
export function settled({ events, measure, property, breakdown }: Definition): Definition {
  return {
    events: events.filter(isNamed),
    measure,
    property: measuresProperty(measure) && property.trim() !== '' ? property : '',
    breakdown: breakdown !== null && breakdown.property.trim() !== '' ? breakdown : null,
  };
}

/** Null where it can be asked, else what is missing. */
export function missingOf({ events, measure, property }: Definition): string | null {
  if (events.length === 0) return 'Choose an event above, or one of the names below.';
  return measuresProperty(measure) && property === '' ? 'Choose the property whose numbers are measured.' : null;
}

/** By day where hours would be too many. */
export const intervalOf = (range: Range): Range['interval'] =>
  range.interval === 'HOUR' && daysOf(range) > mostDaysByHour ? 'DAY' : range.interval;

export function seriesInput(definition: Definition, range: Range, of: { applicationId: string; test: boolean }) {
  const { events, measure, property, breakdown } = definition;
  const { from, to, unit, interval } = range;
  return {
    applicationId: of.applicationId,
    events: events.map(selectionInput),
    measure,
    property: property === '' ? null : property,
    ...{ breakdown, from, to, unit, interval },
    includeTest: of.test,
  };
}
export type SeriesQuestion = ReturnType<typeof seriesInput>;

/** `units`: `devices` or `users`. */
export function measureWords(measure: Measure, units: string): string {
  const words: Record<Measure, string> = {
    COUNT: 'Number of events',
    UNIQUE: `${units === 'users' ? 'Users' : 'Devices'} with the event`,
    PER_UNIT: `Events per ${units === 'users' ? 'user' : 'device'} with one`,
    SUM: 'Sum of a property',
    AVERAGE: 'Average of a property',
    MEDIAN: 'Median of a property',
    P90: '90th percentile of a property',
  };
  return words[measure];
}

/** What the figures of a report are: `Sum of price`. */
export const figureWords = (measure: Measure, units: string, property: string): string =>
  measureWords(measure, units).replace('a property', property);
