// The newest events of each name: those whose parameters the lists of names show. Reading all of them took 3 s.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { type Dialect, empty, join, question, sql, type Sql } from '../engine/dialect.ts';
import { microsOf } from '../reportDays.ts';
import { isAsked } from './units.ts';

const hour = 3_600_000_000n;
export const hoursOfNewest = 30n * 24n;

/** The number of events of a name after which no further hour is read. */
export const mostNewest = 1_000;

export interface NewestQuestion {
  applicationId: string;
  includeTest: boolean;
  now: Date;
  /** `mostNewest`, but for tests. */
  newest: number;
}

/** Whether the event `e` is one of the last hours. */
export function isRecent({ now }: NewestQuestion, hours = hoursOfNewest): Sql {
  const to = microsOf(now.getTime());
  return sql`(e.at > ${to - hours * hour}::bigint AND e.at <= ${to}::bigint)`;
}

export interface RecentName {
  name: string;
  system: boolean;
  /** Of the last 30 days. */
  count: number;
}

/** The newest events of a name are those after the edge, in microseconds. */
export interface Edge {
  name: string;
  system: boolean;
  edge: number;
}

/** Most names have enough events in a day. To sort those of 30 days by their hours took as long as to count all events. */
const firstHours = 24n;

/** The names with an event in the last hours; it may run beside the statement that finds the names. */
export async function findReached(engine: AnalyticsEngine, asked: NewestQuestion): Promise<Reached[]> {
  return (await engine.ask<Reached>(edgesOf(engine.dialect, asked, { hours: firstHours }))).rows;
}

/** Of all `names`; those without a recent event have no edge. */
export async function findEdges(
  engine: AnalyticsEngine,
  asked: NewestQuestion,
  { names, reached }: { names: readonly RecentName[]; reached: readonly Reached[] },
): Promise<Edge[]> {
  const today = new Map(reached.map((row) => [keyOf(row), row]));
  const isDone = (row: RecentName): boolean => {
    const events = today.get(keyOf(row))?.events ?? 0;
    return events >= asked.newest || events >= row.count;
  };
  const done = names.filter(isDone).flatMap((row) => today.get(keyOf(row)) ?? []);
  const rest = names.filter((row) => !isDone(row));
  // All recent events of a rare name are among the newest.
  const edge = Number(microsOf(asked.now.getTime()) - hoursOfNewest * hour);
  const whole = rest.filter(({ count }) => count <= asked.newest).map(({ name, system }) => ({ name, system, edge }));
  const spread = rest.filter(({ count }) => count > asked.newest);
  if (spread.length === 0) return [...done, ...whole];
  const others = { hours: hoursOfNewest, names: spread.map(({ name }) => name) };
  const { rows } = await engine.ask<Reached>(edgesOf(engine.dialect, asked, others));
  const wanted = new Set(spread.map(keyOf));
  return [...done, ...whole, ...rows.filter((row) => wanted.has(keyOf(row)))];
}

export const keyOf = ({ name, system }: Pick<Edge, 'name' | 'system'>): string => `${system} ${name}`;

export interface Reached extends Edge {
  /** Of the hours that were read. */
  events: number;
}

/** The hours back from now until which each name has enough events, or all hours. */
function edgesOf(
  { quotient }: Dialect,
  asked: NewestQuestion,
  { hours, names }: { hours: bigint; names?: readonly string[] },
) {
  const now = sql`${microsOf(asked.now.getTime())}::bigint`;
  const age = quotient(sql`${now} - e.at`, sql`${hour}::bigint`);
  return question('newest events')`WITH
    hours AS (
      SELECT e.name, e.system, ${age} AS age, count(*) AS events FROM analytics.events e
      WHERE ${isAsked(asked, 'e')} AND ${isRecent(asked, hours)} ${names ? sql`AND ${mayBeNamed(names)}` : empty} GROUP BY 1, 2, 3),
    reached AS (
      SELECT name, system, age, sum(events) OVER (PARTITION BY name, system ORDER BY age) - events AS newer, events FROM hours)
  SELECT name, system, (${now} - (max(age) + 1) * ${hour}::bigint)::bigint AS edge, sum(events)::bigint AS events
  FROM reached WHERE newer < ${asked.newest}::bigint GROUP BY name, system`;
}

/**
 * True for each of the names, and for a few others. DuckDB computes it once for each name of a block, and then passes over
 * blocks; a list of names (IN) was compared with each row, and parameters of all rows were read: 60 ms in place of 29.
 */
function mayBeNamed(names: readonly string[]): Sql {
  return sql`strpos(${names.join('\n')}::text, e.name) > 0`;
}

/**
 * The parameters of the newest events, as `object`: a relation in parentheses. The edges are values, so that the engine
 * passes over older rows. Names that are rare are read apart, because theirs are spread over the 30 days.
 */
export function newestOfNames(dialect: Dialect, asked: NewestQuestion, edges: readonly Edge[]): Sql {
  const cut = Number(microsOf(asked.now.getTime()) - firstHours * hour);
  const parts = [edges.filter(({ edge }) => edge >= cut), edges.filter(({ edge }) => edge < cut)];
  const selects = parts.filter((part) => part.length > 0).map((part) => newestOfPart(dialect, asked, part));
  if (selects.length === 0)
    return sql`(SELECT e.name, e.system, e.params AS object FROM analytics.events e WHERE false)`;
  return sql`(${join(selects, ' UNION ALL ')})`;
}

function newestOfPart({ table }: Dialect, asked: NewestQuestion, edges: readonly Edge[]): Sql {
  const bound = table({
    name: { type: 'text', values: edges.map(({ name }) => name) },
    system: { type: 'boolean', values: edges.map(({ system }) => system) },
    edge: { type: 'bigint', values: edges.map(({ edge }) => BigInt(edge)) },
  });
  const first = BigInt(edges.reduce((least, { edge }) => Math.min(least, edge), Infinity));
  return sql`SELECT e.name, e.system, e.params AS object
    FROM analytics.events e JOIN ${bound} AS b ON b.name = e.name AND b.system = e.system
    WHERE ${isAsked(asked, 'e')} AND ${isRecent(asked)} AND e.at > ${first}::bigint AND e.at > b.edge
      AND ${mayBeNamed(edges.map(({ name }) => name))}`;
}
