// The reference of `eventSeries`: loops over its definitions.
import {
  usesPresentProperties,
  type EventSeriesQuestion,
  type PropertyValue,
} from '../../../src/analytics/questions.ts';
import { linesOf } from './breakdownReference.ts';
import {
  distinct,
  eventsOf,
  isIn,
  isSelected,
  isSpanComplete,
  percentile,
  sessionsOf,
  spansOf,
  unitOf,
  wholeSpan,
  type SeenEvent,
} from './definitions.ts';
import type { Drawn, Micros } from './drawn.ts';

export interface EventSeriesResponse {
  series: {
    index: number;
    event: string;
    breakdownValue: PropertyValue | null;
    isOther: boolean;
    points: { start: Micros; complete: boolean; value: number | null }[];
    total: number | null;
  }[];
  presentProperties: boolean;
}

export function eventSeriesOf(drawn: Drawn, question: EventSeriesQuestion): EventSeriesResponse {
  const events = eventsOf(sessionsOf(drawn, question.includeTest)).filter(({ at }) => isIn(wholeSpan(question), at));
  const spans = spansOf(question, question.interval);
  const series = question.events.flatMap((selection, index) => {
    const selected = events.filter((event) => isSelected(event, selection));
    const whole = [{ value: null, isOther: false, events: selected }];
    const lines = question.breakdown ? linesOf(selected, question.breakdown) : whole;
    return lines.map(({ value, isOther, events: own }) => ({
      ...{ index, event: selection.name, breakdownValue: value, isOther },
      points: spans.map((span) => ({
        start: span.start,
        complete: isSpanComplete(span, drawn.now),
        value: measureOf(
          own.filter(({ at }) => isIn(span, at)),
          question,
        ),
      })),
      total: measureOf(own, question),
    }));
  });
  const parts = [question.breakdown, ...question.events.flatMap(({ filters }) => filters)];
  return { series, presentProperties: usesPresentProperties(parts) };
}

function measureOf(events: readonly SeenEvent[], { measure, property, unit }: EventSeriesQuestion): number | null {
  const units = distinct(events.map(({ session }) => unitOf(session, unit)));
  const numbers = events.map(({ params }) => params[property ?? '']).filter((value) => typeof value === 'number');
  let sum = 0;
  for (const number of numbers) sum += number;
  // "The largest double where it would be larger."
  let average = 0;
  for (const number of numbers) average += number / numbers.length;
  return {
    COUNT: events.length,
    UNIQUE: units,
    PER_UNIT: units === 0 ? null : events.length / units,
    SUM: Math.min(sum, Number.MAX_VALUE),
    AVERAGE: numbers.length === 0 ? null : average,
    MEDIAN: percentile(numbers, 0.5),
    P90: percentile(numbers, 0.9),
  }[measure];
}
