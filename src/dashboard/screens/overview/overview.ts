// From the range of the overview to its question, and from the response to the lines of its chart.
import type { ActivityInput, OverviewActivityQuery } from '../../../../generated/screens/overview/graphql.ts';
import type { ChartLine } from '../../parts/chart/plot.ts';
import type { Range } from '../../parts/range/range.ts';
import type { overviewFigures } from '../searches.ts';

export type Activity = NonNullable<OverviewActivityQuery['activity']>;
export type ChartFigure = (typeof overviewFigures)[number];

/** Activity has no hours; the URL may still name them. */
export function activityInput(applicationId: string, range: Range, includeTest: boolean) {
  const { from, to, unit } = range;
  const interval = range.interval === 'HOUR' ? 'DAY' : range.interval;
  return { applicationId, from, to, unit, interval, includeTest, compare: true } satisfies ActivityInput;
}
export type ActivityQuestion = ReturnType<typeof activityInput>;

export function chartLines(activity: Activity, figure: ChartFigure, names: { now: string; before: string | null }) {
  const now: ChartLine = { name: names.now, values: activity.points.map((point) => point[figure]), color: 1 };
  const before = activity.previous?.points;
  if (names.before === null || !before) return [now];
  const values = activity.points.map((_, at) => before[at]?.[figure] ?? null);
  return [now, { name: names.before, values, color: 7, before: true }];
}

/** The activity whose devices are asked for: the point alone, or the whole range. */
export const openable = { active: 'ACTIVE', new: 'NEW', sessions: 'SESSIONS' } as const;
