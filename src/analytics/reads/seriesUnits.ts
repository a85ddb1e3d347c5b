// The units behind a point of `eventSeries`, where wanted of one line of its breakdown.
import { sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Figure } from '../questions.ts';
import { reportPoints } from '../reportDays.ts';
import { isOfLine, mostValues, sameValue, valueColumns, valueOrder } from './breakdownValues.ts';
import { isWithin, pointsOfStart } from './pointOf.ts';
import { selectedEvents } from './timesOfUnits.ts';
import { isAsked, unitOf } from './unitOf.ts';

type SeriesFigure = Extract<Figure, { of: 'eventSeries' }>;

/** A relation with `unit`. */
export function seriesUnits(dialect: Dialect, { question, series, start, line }: SeriesFigure): Sql {
  const { breakdown, unit } = question;
  const points = reportPoints(question, question.interval);
  const isInside = isWithin(sql`e.at`, pointsOfStart(points, start));
  const isOwn = sql`${isAsked(question, 'e')} AND ${isWithin(sql`e.at`, points)}`;
  const events = selectedEvents(dialect, { selection: question.events[series]!, isOwn, breakdown });
  if (!breakdown || !line) return sql`SELECT DISTINCT ${unitOf(unit, 'e')} AS unit FROM ${events} AND ${isInside}`;
  const values = valueColumns(dialect, breakdown, { events: 'e', devices: 'd' });
  return sql`WITH
    sent AS (
      SELECT ${unitOf(unit, 'e')} AS unit, ${isInside} AS inside, ${values} FROM ${events}),
    lines AS (
      SELECT kind, word, figure, count(*) AS events,
        least(row_number() OVER (ORDER BY count(*) DESC, ${valueOrder(dialect)}) - 1, ${BigInt(mostValues)}::bigint) AS slot
      FROM sent GROUP BY kind, word, figure)
    SELECT DISTINCT a.unit FROM sent a JOIN (SELECT kind, word, figure FROM lines WHERE ${isOfLine(line)}) AS b ON ${sameValue}
    WHERE a.inside`;
}
