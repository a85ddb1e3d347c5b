// The read of `activity`: one statement that counts by the days of all its ranges, and the figures made of its rows.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { raw, sql, question, type Question, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { ActivityQuestion, Calendar } from '../questions.ts';
import { isComplete, lastDays, previousCalendar, reportPoints, type ReportPoint } from '../reportDays.ts';
import { isWithin, pointOf } from './pointOf.ts';
import { isAsked, unitOf, unitOfFirst } from './unitOf.ts';

export interface ActivityFigures {
  active: number;
  new: number;
  sessions: number;
  medianSessionSeconds: number | null;
  events: number;
}

export interface ActivityRange {
  points: (ActivityFigures & { start: Date; complete: boolean })[];
  totals: ActivityFigures;
}

export interface ActivityResult extends ActivityRange {
  previous: ActivityRange | null;
  stickiness: number | null;
  asOf: Date;
}

export async function readActivity(
  engine: AnalyticsEngine,
  asked: ActivityQuestion,
  now: Date,
): Promise<ActivityResult> {
  const plan = planOf(asked);
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked, plan));
  const found = new Map(rows.map((row) => [`${row.span} ${row.figure}`, row]));
  const rangeOf = ({ points, total }: Range): ActivityRange => ({
    points: points.map(({ point, span }) => ({
      start: new Date(point.start),
      complete: isComplete(point, now),
      ...figuresOf(found, span),
    })),
    totals: figuresOf(found, total),
  });
  const { range, previous, month } = plan;
  const ofMonth = month.points.map(({ span }) => figuresOf(found, span).active);
  const active = figuresOf(found, month.total).active;
  const mean = ofMonth.reduce((sum, each) => sum + each, 0) / ofMonth.length;
  return {
    ...rangeOf(range),
    previous: previous && rangeOf(previous),
    stickiness: active === 0 ? null : mean / active,
    asOf,
  };
}

type Figure = 'active' | 'new' | 'sessions' | 'events';

interface Row {
  /** The number of a span. */
  span: number;
  figure: Figure;
  count: number;
  /** Of the sessions. */
  median: number | null;
}

function figuresOf(found: ReadonlyMap<string, Row>, span: number): ActivityFigures {
  const rowOf = (figure: Figure) => found.get(`${span} ${figure}`);
  return {
    active: rowOf('active')?.count ?? 0,
    new: rowOf('new')?.count ?? 0,
    sessions: rowOf('sessions')?.count ?? 0,
    medianSessionSeconds: rowOf('sessions')?.median ?? null,
    events: rowOf('events')?.count ?? 0,
  };
}

/** Spans of days with their numbers, which the rows name. */
interface Range {
  points: { point: ReportPoint; span: number }[];
  /** The whole range. */
  total: number;
}

interface Plan {
  /** Every day of all ranges. Each point is made of whole days. */
  days: ReportPoint[];
  /** Which days each span has. */
  spans: { day: bigint; span: bigint }[];
  range: Range;
  previous: Range | null;
  /** The days of the stickiness. */
  month: Range;
}

function planOf(asked: ActivityQuestion): Plan {
  const before = asked.compare ? previousCalendar(asked) : null;
  const last = lastDays(asked, 30);
  const from = [asked.from, before?.from ?? asked.from, last.from].sort()[0]!;
  const days = reportPoints({ ...asked, from }, 'DAY');
  const spans: Plan['spans'] = [];
  let count = 0;
  const addSpan = ({ start, end }: ReportPoint): number => {
    days.forEach((day, index) => {
      if (day.start >= start && day.end <= end) spans.push({ day: BigInt(index), span: BigInt(count) });
    });
    count += 1;
    return count - 1;
  };
  const rangeOf = (calendar: Calendar, interval: ActivityQuestion['interval']): Range => {
    const points = reportPoints({ ...calendar, timeZone: asked.timeZone }, interval);
    const whole = { start: points[0]?.start ?? 0, end: points.at(-1)?.end ?? 0 };
    return { points: points.map((point) => ({ point, span: addSpan(point) })), total: addSpan(whole) };
  };
  return {
    days,
    spans,
    range: rangeOf(asked, asked.interval),
    previous: before && rangeOf(before, asked.interval),
    month: rangeOf(last, 'DAY'),
  };
}

/** Rows become units by day first: what is left of ten million events is joined with the spans. */
function statement(dialect: Dialect, asked: ActivityQuestion, { days, spans }: Plan): Question {
  const { unit } = asked;
  const own = (row: string) => isAsked(asked, row);
  const dayOf = (at: Sql) => pointOf(dialect, at, days);
  const within = (row: string) => isWithin(raw(`${row}.at`), days);
  const spanTable = dialect.table({
    day: { type: 'bigint', values: spans.map(({ day }) => day) },
    span: { type: 'bigint', values: spans.map(({ span }) => span) },
  });
  const length = sql`CASE WHEN s.finished_at >= s.started_at THEN (s.finished_at - s.started_at) / 1000000.0::float8 END`;
  return question('activity')`WITH
    spans AS (SELECT day, span FROM ${spanTable} AS t),
    begun AS (
      SELECT ${unitOf(unit, 's')} AS unit, ${dayOf(sql`s.at`)} AS day, ${length} AS seconds
      FROM analytics.sessions s WHERE ${own('s')} AND ${within('s')}),
    sent AS (
      SELECT ${unitOf(unit, 'e')} AS unit, ${dayOf(sql`e.at`)} AS day, count(*) AS events
      FROM analytics.events e WHERE ${own('e')} AND NOT e.mirror AND ${within('e')} GROUP BY 1, 2),
    active AS (SELECT unit, day FROM begun UNION SELECT unit, day FROM sent),
    firsts AS (
      SELECT unit, min(moment) AS moment FROM (
        SELECT ${unitOf(unit, 's')} AS unit, s.at AS moment FROM analytics.sessions s WHERE ${own('s')}
        UNION ALL SELECT ${unitOf(unit, 'e')}, e.at FROM analytics.events e WHERE ${own('e')} AND NOT e.mirror
        UNION ALL SELECT ${unitOfFirst(unit, 'f')}, f.at FROM analytics.firsts f
          WHERE ${own('f')} AND f.unit = ${unit}::text AND f.name = '') AS every GROUP BY 1),
    begins AS (SELECT ${dayOf(sql`f.moment`)} AS day FROM firsts f WHERE ${isWithin(sql`f.moment`, days)})
  SELECT span, 'active' AS figure, count(DISTINCT unit) AS count, CAST(NULL AS float8) AS median
    FROM active JOIN spans USING (day) GROUP BY span
  UNION ALL SELECT span, 'new', count(*), NULL FROM begins JOIN spans USING (day) GROUP BY span
  UNION ALL SELECT span, 'sessions', count(*), ${dialect.quantile(sql`seconds`, 0.5)} FROM begun JOIN spans USING (day) GROUP BY span
  UNION ALL SELECT span, 'events', CAST(sum(events) AS bigint), NULL FROM sent JOIN spans USING (day) GROUP BY span`;
}
