// The calendar of a question of `retention`: its cohorts, and the whole intervals in which their units return (pure).
import type { RetentionQuestion } from '../questions.ts';
import { countIntervals, reportPoints, wholeIntervals, type ReportPoint } from '../reportDays.ts';

export interface RetentionPlan {
  cohorts: Cohort[];
  /** The intervals that have an instant, from that of `from` to the last period. The SQL names them by their place here. */
  intervals: Interval[];
}

export interface Cohort {
  /** The range cuts it, and no period. */
  point: ReportPoint;
  periods: ReportPoint[];
  /** Its own interval, as a place in `intervals`. */
  place: number;
}

export interface Interval extends ReportPoint {
  /** Its place in the calendar, which counts a day that the zone skipped. */
  number: number;
}

export function retentionPlan(asked: RetentionQuestion): RetentionPlan {
  const { from, timeZone, interval, periods } = asked;
  const count = countIntervals(asked, interval) + periods - 1;
  const calendar = wholeIntervals({ date: from, timeZone }, interval, count);
  const intervals = calendar
    .map((whole, number): Interval => ({ ...whole, number }))
    .filter(({ start, end }) => start < end);
  let place = 0;
  const cohorts = reportPoints(asked, interval).map((point): Cohort => {
    while (intervals[place]!.end <= point.start) place += 1;
    const { number } = intervals[place]!;
    return { point, place, periods: calendar.slice(number, number + periods) };
  });
  return { cohorts, intervals };
}
