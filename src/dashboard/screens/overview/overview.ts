// From the range of the overview to its question, and from the response to the lines of its chart.
import type { ActivityInput, OverviewActivityQuery } from '../../../../generated/screens/overview/graphql.ts';
import type { ChartLine } from '../../parts/chart/plot.ts';
import { dayBefore, daysOf, type Range } from '../../parts/range/range.ts';
import type { chartFigures } from './search.ts';

export type Activity = NonNullable<OverviewActivityQuery['activity']>;
export type ChartFigure = (typeof chartFigures)[number];

/** Activity has no hours: such a URL comes from the screen of events. */
export function activityInput(applicationId: string, range: Range, includeTest: boolean) {
  const { from, to, unit } = range;
  const interval = range.interval === 'HOUR' ? 'DAY' : range.interval;
  return { applicationId, from, to, unit, interval, includeTest, compare: true } satisfies ActivityInput;
}

/** As many days right before the range. */
export function rangeBefore({ from, to }: Pick<Range, 'from' | 'to'>): { from: string; to: string } {
  return { from: dayBefore(from, daysOf(from, to)), to: dayBefore(from, 1) };
}

/** Points of the period before stand below those of now where both have the same lengths. */
export function canCompare({ from, to, interval }: Pick<ActivityInput, 'from' | 'to' | 'interval'>): boolean {
  return interval === 'DAY' || (interval === 'WEEK' && daysOf(from, to) % 7 === 0);
}

export function chartLines(activity: Activity, figure: ChartFigure, names: { now: string; before: string | null }) {
  const now: ChartLine = { name: names.now, values: activity.points.map((point) => point[figure]), color: 1 };
  const before = activity.previous?.points;
  if (names.before === null || !before) return [now];
  const values = activity.points.map((_, at) => before[at]?.[figure] ?? null);
  return [now, { name: names.before, values, color: 7, before: true }];
}
