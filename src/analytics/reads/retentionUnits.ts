// The units of a cohort of `retention`, and those of them that have returned in a period.
import { sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Figure } from '../questions.ts';
import { microsOf } from '../reportDays.ts';
import { isWithin } from './pointOf.ts';
import { retentionPlan } from './retentionPlan.ts';
import { firstTimesOf, timesOf } from './timesOfUnits.ts';

type RetentionFigure = Extract<Figure, { of: 'retention' }>;

/** A relation with `unit`. */
export function retentionUnits(dialect: Dialect, { question, cohort, index }: RetentionFigure): Sql {
  const found = retentionPlan(question).cohorts.find(({ point }) => point.start === cohort.getTime());
  const firsts = firstTimesOf(dialect, question, { selection: question.start });
  const begun = sql`SELECT unit, moment FROM (${firsts}) AS firsts WHERE ${isWithin(sql`moment`, found ? [found.point] : [])}`;
  const period = index === null ? null : found?.periods[index];
  if (!period) return sql`SELECT unit FROM (${begun}) AS begun`;
  const within = (at: Sql) =>
    question.mode === 'ON' ? isWithin(at, [period]) : sql`${at} >= ${microsOf(period.start)}::bigint`;
  const returns = timesOf(dialect, question, { selection: question.returning, within });
  return sql`SELECT begun.unit FROM (${begun}) AS begun
    JOIN (SELECT unit, max(moment) AS latest FROM (${returns}) AS times GROUP BY unit) AS back ON back.unit = begun.unit
    WHERE latest >= moment`;
}
