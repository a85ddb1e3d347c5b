// The read of `retention`: the first times of units, joined with the times at which they return.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { question, sql, type Question, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { usesPresentProperties, type RetentionQuestion } from '../questions.ts';
import { isComplete, microsOf } from '../reportDays.ts';
import { isWithin, pointOf } from './pointOf.ts';
import { retentionPlan, type Cohort, type RetentionPlan } from './retentionPlan.ts';
import { firstTimesOf, timesOf } from './timesOfUnits.ts';

export interface RetentionResult {
  cohorts: { start: Date; size: number; periods: { index: number; count: number; complete: boolean }[] }[];
  presentProperties: boolean;
  asOf: Date;
}

export async function readRetention(
  engine: AnalyticsEngine,
  asked: RetentionQuestion,
  now: Date,
): Promise<RetentionResult> {
  const plan = retentionPlan(asked);
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked, plan));
  const countsOf = counter(asked, plan, rows);
  return {
    cohorts: plan.cohorts.map((cohort) => {
      const { size, counts } = countsOf(cohort);
      const periods = cohort.periods.map((period, index) => ({
        index,
        count: counts[index]!,
        complete: isComplete(period, now),
      }));
      return { start: new Date(cohort.point.start), size, periods };
    }),
    presentProperties: usesPresentProperties([...(asked.start?.filters ?? []), ...(asked.returning?.filters ?? [])]),
    asOf,
  };
}

interface Row {
  /** The interval of the start, as a place in `RetentionPlan.intervals`. */
  cohort: number;
  /** The interval of a return; null: the row counts the cohort. */
  point: number | null;
  count: number;
}

interface Counts {
  size: number;
  counts: number[];
}

function counter({ mode }: RetentionQuestion, { intervals }: RetentionPlan, rows: readonly Row[]) {
  const rowsOf = new Map<number, Row[]>();
  for (const row of rows) rowsOf.set(row.cohort, [...(rowsOf.get(row.cohort) ?? []), row]);
  return ({ place, periods }: Cohort): Counts => {
    const own = rowsOf.get(place) ?? [];
    const counts = periods.map(() => 0);
    for (const { point, count } of own) {
      if (point === null) continue;
      // Beyond the intervals is after every period.
      const index = (intervals[point]?.number ?? Infinity) - intervals[place]!.number;
      const first = mode === 'ON' ? index : 0;
      for (let at = first; at <= Math.min(index, counts.length - 1); at += 1) counts[at]! += count;
    }
    return { size: own.find(({ point }) => point === null)?.count ?? 0, counts };
  };
}

/** Of each interval, or of all, the last return alone is compared with the start. */
function statement(dialect: Dialect, asked: RetentionQuestion, plan: RetentionPlan): Question {
  const most = sql`cohort + ${BigInt(asked.periods)}::bigint`;
  return question('retention')`WITH ${startsAndReturns(dialect, asked, plan)},
    back AS (SELECT cohort, point FROM starts JOIN returns ON returns.unit = starts.unit WHERE last >= moment)
  SELECT cohort, CAST(NULL AS bigint) AS point, count(*) AS count FROM starts GROUP BY cohort
  UNION ALL SELECT cohort, least(point, ${most}), count(*) FROM back GROUP BY 1, 2`;
}

/** The common table expressions `starts` (unit, moment, cohort) and `returns` (unit, point, last). */
function startsAndReturns(dialect: Dialect, asked: RetentionQuestion, { cohorts, intervals }: RetentionPlan): Sql {
  const points = cohorts.map(({ point }) => point);
  const since = (at: Sql) => (points[0] ? sql`${at} >= ${microsOf(points[0].start)}::bigint` : sql`false`);
  const isOn = asked.mode === 'ON';
  const within = isOn ? (at: Sql) => sql`${since(at)} AND ${isWithin(at, intervals)}` : since;
  const times = timesOf(dialect, asked, { selection: asked.returning, within });
  const place = (at: Sql) => pointOf(dialect, at, intervals);
  const last = sql`max(moment) AS last`;
  const returns = isOn
    ? sql`SELECT unit, ${place(sql`moment`)} AS point, ${last} FROM (${times}) AS times GROUP BY 1, 2`
    : sql`SELECT unit, CASE WHEN ${isWithin(sql`last`, intervals)} THEN ${place(sql`last`)} ELSE ${BigInt(intervals.length)}::bigint END AS point, last
        FROM (SELECT unit, ${last} FROM (${times}) AS times GROUP BY unit) AS latest`;
  return sql`starts AS (
      SELECT unit, moment, ${place(sql`moment`)} AS cohort
      FROM (${firstTimesOf(dialect, asked, asked.start)}) AS firsts WHERE ${isWithin(sql`moment`, points)}),
    returns AS (${returns})`;
}
