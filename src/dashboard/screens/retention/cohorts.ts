// What follows from the cohorts of a retention without asking the service: which periods have begun, and their sums.
import type { RetentionReportQuery } from '../../../../generated/screens/retention/graphql.ts';

export type RetentionAnswer = NonNullable<RetentionReportQuery['retention']>;
export type Cohort = RetentionAnswer['cohorts'][number];
export type Interval = 'DAY' | 'WEEK' | 'MONTH';

/** `later`: the period has not begun. `open`: its count may still grow. */
export type PeriodState = 'later' | 'open' | 'complete';

const dayOf = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(instant));

/** The first day of the period that is so many intervals after the one of `day`. */
export function periodDay(day: string, index: number, interval: Interval): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (interval === 'DAY') date.setUTCDate(date.getUTCDate() + index);
  // Sunday is 0, and weeks begin on Monday.
  if (interval === 'WEEK') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7) + 7 * index);
  if (interval === 'MONTH') date.setUTCMonth(date.getUTCMonth() + index, 1);
  return date.toISOString().slice(0, 10);
}

export interface Times {
  timeZone: string;
  interval: Interval;
  asOf: string;
}

export function stateOf(cohort: Cohort, index: number, { timeZone, interval, asOf }: Times): PeriodState {
  if (cohort.periods[index]!.complete) return 'complete';
  const begin = periodDay(dayOf(cohort.start, timeZone), index, interval);
  return begin <= dayOf(asOf, timeZone) ? 'open' : 'later';
}

export interface Sum {
  count: number;
  size: number;
  /** How many cohorts it has. */
  cohorts: number;
}

/** Of the cohorts whose period is complete: a unit is in one cohort at most, so the sums count nobody twice. */
export function sumOf(cohorts: readonly Cohort[], index: number): Sum {
  const complete = cohorts.filter(({ size, periods }) => size > 0 && periods[index]!.complete);
  return {
    count: complete.reduce((sum, { periods }) => sum + periods[index]!.count, 0),
    size: complete.reduce((sum, { size }) => sum + size, 0),
    cohorts: complete.length,
  };
}

/** The cohort by its day, the first day of its week, or its month. */
export function cohortWords(start: string, { timeZone, interval }: Omit<Times, 'asOf'>): string {
  const options: Intl.DateTimeFormatOptions =
    interval === 'MONTH'
      ? { month: 'short', year: 'numeric' }
      : { day: 'numeric', month: 'short', year: 'numeric', ...(interval === 'DAY' && { weekday: 'short' }) };
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(new Date(start));
}
