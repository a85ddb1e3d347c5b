// query activity: active and new units, sessions and events over time.
import type { Activity, QueryActivityArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, inItsZone } from './askEngine.ts';
import { type Dialect, question, type Question, raw, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import type { ActivityQuestion, Calendar } from './questions.ts';
import { isAsked, unitColumns, unitOf, unitOfFirst } from './reads/units.ts';
import {
  isComplete,
  isWithin,
  lastDays,
  microsOf,
  pointOf,
  previousCalendar,
  type ReportPoint,
  reportPoints,
} from './reportDays.ts';
import { readActivityInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function activity({ input }: QueryActivityArgs, needs: AnalyticsNeeds): Promise<Activity> {
  const rules = inputRules();
  const asked = readActivityInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<ActivityQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readActivity(engine, question, needs.now()),
    rowsOf: ({ points, previous }) => points.length + (previous?.points.length ?? 0),
  });
}

// The read of `activity`: one statement that counts by the days of all its ranges, and the figures made of its rows.

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
      complete: isComplete(point, { now, asOf }),
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

function figuresOf(found: ReadonlyMap<string, Row>, { number, days }: Span): ActivityFigures {
  const rowOf = (figure: Figure, span = number) => found.get(`${span} ${figure}`);
  const sumOf = (figure: Figure) => days.reduce((sum, day) => sum + (rowOf(figure, day)?.count ?? 0), 0);
  return {
    active: rowOf('active')?.count ?? 0,
    new: sumOf('new'),
    sessions: rowOf('sessions')?.count ?? 0,
    medianSessionSeconds: rowOf('sessions')?.median ?? null,
    events: sumOf('events'),
  };
}

/** Days that are counted together, each by its place in `Plan.days`. */
interface Span {
  /** Which the rows name. A day by itself has its place. */
  number: number;
  days: number[];
}

interface Range {
  points: { point: ReportPoint; span: Span }[];
  /** The whole range. */
  total: Span;
}

interface Plan {
  /** Every day of all ranges. Each point is made of whole days. */
  days: ReportPoint[];
  /** Those of several days, each once. */
  spans: Span[];
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
  const known = new Map<string, Span>();
  const spanOf = ({ start, end }: Pick<ReportPoint, 'start' | 'end'>): Span => {
    const own = placesWithin(days, { start, end });
    if (own.length === 1) return { number: own[0]!, days: own };
    const key = `${own[0]} ${own.length}`;
    const span = known.get(key) ?? { number: days.length + known.size, days: own };
    known.set(key, span);
    return span;
  };
  const rangeOf = (calendar: Calendar, interval: ActivityQuestion['interval']): Range => {
    const points = reportPoints({ ...calendar, timeZone: asked.timeZone }, interval);
    const whole = { start: points[0]?.start ?? 0, end: points.at(-1)?.end ?? 0 };
    return { points: points.map((point) => ({ point, span: spanOf(point) })), total: spanOf(whole) };
  };
  const ranges = {
    range: rangeOf(asked, asked.interval),
    previous: before && rangeOf(before, asked.interval),
    month: rangeOf(last, 'DAY'),
  };
  return { days, spans: [...known.values()], ...ranges };
}

/** Of the days, which are in order. Looking at every day for each of two years of points held the event loop for 30 ms. */
function placesWithin(days: readonly ReportPoint[], { start, end }: Pick<ReportPoint, 'start' | 'end'>): number[] {
  let [first, behind] = [0, days.length];
  while (first < behind) {
    const middle = (first + behind) >>> 1;
    if (days[middle]!.start < start) first = middle + 1;
    else behind = middle;
  }
  const places: number[] = [];
  for (let place = first; place < days.length && days[place]!.end <= end; place += 1) places.push(place);
  return places;
}

/**
 * Rows become units by day first, and few spans have several days: counting the units of every span took half of the time.
 * A unit begins on its first day in the range, unless it was active earlier: min(at) over all rows took longer.
 */
function statement(dialect: Dialect, asked: ActivityQuestion, { days, spans }: Plan): Question {
  const { unit } = asked;
  const dayOf = (at: Sql) => pointOf(dialect, at, days);
  const rowsOf = (row: string) => sql`${isAsked(asked, row)} AND ${isWithin(raw(`${row}.at`), days)}`;
  const keys = unitColumns(unit, 'e');
  const length = sql`CASE WHEN NOT s.suspect THEN (s.finished_at - s.started_at) / 1000000.0::float8 END`;
  const median = dialect.quantile(sql`seconds`, 0.5);
  return question('activity')`WITH
    spans AS (SELECT day, span FROM ${spanTable(dialect, spans)} AS t),
    begun AS (
      SELECT ${unitOf(unit, 's')} AS unit, ${dayOf(sql`s.at`)} AS day, ${length} AS seconds
      FROM analytics.sessions s WHERE ${rowsOf('s')}),
    sent AS (
      SELECT ${unitOf(unit, 'e')} AS unit, day, events FROM (
        SELECT ${dayOf(sql`e.at`)} AS day, ${keys}, count(*) AS events
        FROM analytics.events e WHERE ${rowsOf('e')} AND NOT e.mirror GROUP BY 1, ${keys}) AS e),
    active AS (SELECT unit, day FROM begun UNION SELECT unit, day FROM sent),
    begins AS (${begins(asked, { days, dayOf })})
  SELECT day AS span, 'active' AS figure, count(*) AS count, CAST(NULL AS float8) AS median FROM active GROUP BY day
  UNION ALL SELECT span, 'active', count(DISTINCT unit), NULL FROM active JOIN spans USING (day) GROUP BY span
  UNION ALL SELECT day, 'new', count(*), NULL FROM begins GROUP BY day
  UNION ALL SELECT day, 'sessions', count(*), ${median} FROM begun GROUP BY day
  UNION ALL SELECT span, 'sessions', count(*), ${median} FROM begun JOIN spans USING (day) GROUP BY span
  UNION ALL SELECT day, 'events', CAST(sum(events) AS bigint), NULL FROM sent GROUP BY day`;
}

function spanTable(dialect: Dialect, spans: readonly Span[]): Sql {
  const pairs = spans.flatMap(({ number, days }) => days.map((day) => [BigInt(day), BigInt(number)] as const));
  return dialect.table({
    day: { type: 'bigint', values: pairs.map(([day]) => day) },
    span: { type: 'bigint', values: pairs.map(([, span]) => span) },
  });
}

/** A row for each unit that is new in the range, with the day of its first time. It reads `active`. */
function begins(asked: ActivityQuestion, { days, dayOf }: { days: ReportPoint[]; dayOf: (at: Sql) => Sql }): Sql {
  const { unit } = asked;
  const isEarlier = (row: string) =>
    sql`${isAsked(asked, row)} AND ${raw(`${row}.at`)} < ${microsOf(days[0]?.start ?? 0)}::bigint`;
  const isOfAny = sql`f.unit = ${unit}::text AND f.name = ''`;
  return sql`SELECT min(day) AS day FROM (
      SELECT unit, day FROM active
      UNION ALL SELECT ${unitOfFirst(unit, 'f')}, ${dayOf(sql`f.at`)} FROM analytics.firsts f
        WHERE ${isAsked(asked, 'f')} AND ${isWithin(sql`f.at`, days)} AND ${isOfAny}) AS first_days
    WHERE NOT EXISTS (
      SELECT 1 FROM (
        SELECT DISTINCT unit FROM (
          SELECT ${unitOf(unit, 's')} AS unit FROM analytics.sessions s WHERE ${isEarlier('s')}
          UNION ALL SELECT ${unitOf(unit, 'e')} FROM (
            SELECT DISTINCT ${unitColumns(unit, 'e')} FROM analytics.events e WHERE ${isEarlier('e')} AND NOT e.mirror) AS e
          UNION ALL SELECT ${unitOfFirst(unit, 'f')} FROM analytics.firsts f WHERE ${isEarlier('f')} AND ${isOfAny}
        ) AS times) AS earlier
      WHERE earlier.unit = first_days.unit)
    GROUP BY unit`;
}
