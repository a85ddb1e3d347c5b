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
        complete: isComplete(period, { now, asOf }),
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
    back AS (SELECT cohort, point FROM starts JOIN returns ON returns.unit = starts.unit WHERE latest >= moment)
  SELECT cohort, CAST(NULL AS bigint) AS point, count(*) AS count FROM starts GROUP BY cohort
  UNION ALL SELECT cohort, least(point, ${most}), count(*) FROM back GROUP BY 1, 2`;
}

/**
 * The common table expressions `starts` (unit, moment, cohort) and `returns` (unit, point, latest). Where any activity
 * begins and any is a return, one pass over the rows serves both: with ten million events it saves a third of the time.
 */
function startsAndReturns(dialect: Dialect, asked: RetentionQuestion, { cohorts, intervals }: RetentionPlan): Sql {
  const { start, returning } = asked;
  const isShared = start === null && returning === null;
  const since = (at: Sql) => isSince(at, asked, intervals);
  const times = timesOf(dialect, asked, { selection: returning, within: isShared ? () => sql`true` : since });
  const firsts = firstTimesOf(dialect, asked, {
    selection: start,
    known: isShared ? sql`SELECT unit, earliest FROM times` : null,
  });
  const placeOf = (at: Sql) => sql`CASE WHEN ${isWithin(at, intervals)} THEN ${pointOf(dialect, at, intervals)} END`;
  const ends = sql`min(moment) AS earliest, max(moment) AS latest`;
  const beyond = sql`${BigInt(intervals.length)}::bigint`;
  const [grouped, returns] =
    asked.mode === 'ON'
      ? [
          sql`SELECT unit, ${placeOf(sql`moment`)} AS point, ${ends} FROM (${times}) AS every GROUP BY 1, 2`,
          sql`SELECT unit, point, latest FROM times WHERE point IS NOT NULL`,
        ]
      : [
          sql`SELECT unit, ${ends} FROM (${times}) AS every GROUP BY unit`,
          sql`SELECT unit, coalesce(${placeOf(sql`latest`)}, ${beyond}) AS point, latest FROM times WHERE ${since(sql`latest`)}`,
        ];
  return sql`times AS MATERIALIZED (${grouped}),
    firsts AS (${firsts}),
    starts AS (
      SELECT unit, moment, ${placeOf(sql`moment`)} AS cohort FROM firsts
      WHERE ${isWithin(
        sql`moment`,
        cohorts.map(({ point }) => point),
      )}),
    returns AS (${returns})`;
}

/** Whether a time may be a return. */
function isSince(at: Sql, { mode }: RetentionQuestion, intervals: RetentionPlan['intervals']): Sql {
  if (mode === 'ON' || !intervals[0]) return isWithin(at, intervals);
  return sql`${at} >= ${microsOf(intervals[0].start)}::bigint`;
}
