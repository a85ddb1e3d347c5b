// The reference of `retention`: loops over its definitions.
import {
  usesPresentProperties,
  type EventSelection,
  type RetentionQuestion,
} from '../../../src/analytics/questions.ts';
import { dateOf, dayNumber, microsOf, reportPoints, wholeIntervals } from '../../../src/analytics/reportDays.ts';
import {
  activitiesOf,
  eventsOf,
  firstsOf,
  isIn,
  isSelected,
  isSpanComplete,
  sessionsOf,
  unitOf,
  type Activity,
  type SeenSession,
  type Span,
} from './definitions.ts';
import type { Drawn, Micros } from './drawn.ts';

export interface RetentionResponse {
  cohorts: { start: Micros; size: number; periods: { index: number; count: number; complete: boolean }[] }[];
  presentProperties: boolean;
}

export function retentionOf(drawn: Drawn, question: RetentionQuestion): RetentionResponse {
  const cohorts = cohortsOf(question).map(({ span, periods }) => ({
    start: span.start,
    size: membersOf(drawn, question, { cohort: span.start, index: null }).length,
    periods: periods.map((period, index) => ({
      index,
      count: membersOf(drawn, question, { cohort: span.start, index }).length,
      complete: isSpanComplete(period, drawn.now),
    })),
  }));
  const filters = [...(question.start?.filters ?? []), ...(question.returning?.filters ?? [])];
  return { cohorts, presentProperties: usesPresentProperties(filters) };
}

/** The units of a cohort, with an index those that have returned in its period. None for a cohort that is none. */
export function membersOf(
  drawn: Drawn,
  question: RetentionQuestion,
  { cohort, index }: { cohort: Micros; index: number | null },
): string[] {
  const sessions = sessionsOf(drawn, question.includeTest);
  const found = cohortsOf(question).find(({ span }) => span.start === cohort);
  if (!found) return [];
  const starts = [...firstsOf(selected(sessions, question, question.start))].filter(([, at]) => isIn(found.span, at));
  const returns = selected(sessions, question, question.returning);
  const period = index === null ? null : found.periods[index]!;
  const isBack = (unit: string, start: Micros) =>
    period === null || returned({ unit, start }, returns, { period, question });
  return starts.filter(([unit, start]) => isBack(unit, start)).map(([unit]) => unit);
}

/** The events that a selection means, or any activity. */
function selected(sessions: SeenSession[], { unit }: RetentionQuestion, selection: EventSelection | null): Activity[] {
  if (selection === null) return activitiesOf(sessions, unit);
  const events = eventsOf(sessions).filter((event) => isSelected(event, selection));
  return events.map(({ session, at }) => ({ unit: unitOf(session, unit), at }));
}

/** "What returns is at or after the start"; in the period, or at any later time too. */
function returned(
  { unit, start }: { unit: string; start: Micros },
  returns: readonly Activity[],
  { period, question }: { period: Span; question: RetentionQuestion },
): boolean {
  const end = question.mode === 'ON' ? period.end : Infinity;
  return returns.some((each) => each.unit === unit && each.at >= start && each.at >= period.start && each.at < end);
}

/** The range cuts the interval of a cohort, and never a period. */
function cohortsOf({ from, to, timeZone, interval, periods }: RetentionQuestion): { span: Span; periods: Span[] }[] {
  const cohorts = new Map<Micros, { span: Span; periods: Span[] }>();
  for (let number = dayNumber(from); number <= dayNumber(to); number += 1) {
    const date = dateOf(number);
    const whole = wholeIntervals({ date, timeZone }, interval, periods).map(inMicros);
    const [day] = reportPoints({ from: date, to: date, timeZone }, 'DAY').map(inMicros);
    if (!day) continue;
    const known = cohorts.get(whole[0]!.start);
    if (known) known.span.end = day.end;
    else cohorts.set(whole[0]!.start, { span: { ...day }, periods: whole });
  }
  return [...cohorts.values()];
}

function inMicros({ start, end }: { start: number; end: number }): Span {
  return { start: Number(microsOf(start)), end: Number(microsOf(end)) };
}
