// The point of a report in which a row falls, as arithmetic on its microseconds: a join with the boundaries took longer.
import { join, sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { microsOf, type ReportPoint } from '../reportDays.ts';

/** Points of one length that follow one another. */
interface Run {
  first: number;
  start: bigint;
  end: bigint;
  length: bigint;
}

/**
 * The index of the point that contains `at`, as bigint. The caller asks only for rows within all points (`isWithin`). Two
 * years of days are nine runs: a change of the clocks makes one day that is longer or shorter.
 */
export function pointOf({ quotient }: Dialect, at: Sql, points: readonly ReportPoint[]): Sql {
  const runs = runsOf(points);
  const index = ({ first, start, length }: Run) =>
    sql`${BigInt(first)}::bigint + ${quotient(sql`${at} - ${start}::bigint`, sql`${length}::bigint`)}`;
  const cases = runs.map((run) => sql`WHEN ${at} < ${run.end}::bigint THEN ${index(run)}`);
  return cases.length === 0 ? sql`0::bigint` : sql`(CASE ${join(cases, ' ')} END)`;
}

/**
 * Whether `at` is in any of the points. Without a point it is a range of no instant: Citus refuses some joins whose condition
 * is a constant, because its planner drops the tables behind it ("recursive complex joins are only supported …").
 */
export function isWithin(at: Sql, points: readonly ReportPoint[]): Sql {
  const [start, end] = [points.at(0)?.start ?? 0, points.at(-1)?.end ?? 0];
  return sql`(${at} >= ${microsOf(start)}::bigint AND ${at} < ${microsOf(end)}::bigint)`;
}

/** The point that begins at an instant, or all of them where it is null. None begins at any other instant. */
export function pointsOfStart(points: readonly ReportPoint[], start: Date | null): readonly ReportPoint[] {
  return start === null ? points : points.filter((point) => point.start === start.getTime());
}

function runsOf(points: readonly ReportPoint[]): Run[] {
  const runs: Run[] = [];
  points.forEach((point, index) => {
    const [start, end] = [microsOf(point.start), microsOf(point.end)];
    const last = runs.at(-1);
    if (last?.length === end - start) last.end = end;
    else runs.push({ first: index, start, end, length: end - start });
  });
  return runs;
}
