// What the URL of the events names: the question, the range, the lines that are drawn, and the search for names.
import { z } from 'zod';
import {
  breakdown,
  isNamed,
  selection,
  selectionInput,
  type Breakdown,
  type Selection,
} from '../../parts/events/selection.ts';
import { daysOf, rangeSearch, type Range } from '../../parts/range/range.ts';
import { flag, json, text } from '../../parts/searchParameters.ts';

export const mostEvents = 5;
/** The chart has so many colours. */
export const mostLines = 7;
/** schema.graphql, "Days and other points": so many days at most by hour. */
const mostDaysByHour = 31;

export const measures = ['COUNT', 'UNIQUE', 'PER_UNIT', 'SUM', 'AVERAGE', 'MEDIAN', 'P90'] as const;
export type Measure = (typeof measures)[number];

export const eventsSearch = rangeSearch.extend({
  events: json(z.array(selection).max(mostEvents)),
  measure: z.enum(measures).optional().catch(undefined),
  property: text,
  breakdown: json(breakdown),
  /** The drawn lines by their keys. Absent: the first ones. */
  lines: json(z.array(z.string()).min(1).max(mostLines)),
  test: flag,
  /** A part of the names in the list below the report. */
  names: text,
  after: text,
});
export type EventsSearch = z.infer<typeof eventsSearch>;

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
