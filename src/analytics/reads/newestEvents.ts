// The newest events of each name as SQL: those whose parameters the lists of names show. Reading all of them took 3 s.
import { sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { microsOf } from '../reportDays.ts';
import { isAsked } from './unitOf.ts';

const hour = 3_600_000_000n;
export const daysOfNewest = 30n;

/** The number of events of a name after which no further hour is read. */
export const mostNewest = 1_000;

export interface NewestQuestion {
  applicationId: string;
  includeTest: boolean;
  now: Date;
  /** `mostNewest`, but for tests. */
  newest: number;
}

/** Whether the event `e` is one of the last 30 times 24 hours. */
function isRecent({ now }: NewestQuestion): Sql {
  const to = microsOf(now.getTime());
  return sql`(e.at > ${to - daysOfNewest * 24n * hour}::bigint AND e.at <= ${to}::bigint)`;
}

/** `hours`: events of each name and type, by the whole hours since then; `age` is null for what is older than 30 days. */
export function hoursOfNames({ quotient }: Dialect, asked: NewestQuestion): Sql {
  const age = quotient(sql`${microsOf(asked.now.getTime())}::bigint - e.at`, sql`${hour}::bigint`);
  return sql`hours AS (
      SELECT e.name, e.system, CASE WHEN ${isRecent(asked)} THEN ${age} END AS age, min(e.at) AS first, max(e.at) AS last,
        count(*) AS events
      FROM analytics.events e WHERE ${isAsked(asked, 'e')} GROUP BY 1, 2, 3)`;
}

/** `newest`: the parameters of events, as `object`. It reads `hours`, and `names` of the names that are wanted. */
export function newestOfNames(asked: NewestQuestion): Sql {
  return sql`reached AS (
      SELECT h.name, h.system, h.age, sum(h.events) OVER (PARTITION BY h.name, h.system ORDER BY h.age) - h.events AS newer
      FROM hours h JOIN names n ON n.name = h.name AND n.system = h.system WHERE h.age IS NOT NULL),
    edges AS (
      SELECT name, system, ${microsOf(asked.now.getTime())}::bigint - (max(age) + 1) * ${hour}::bigint AS edge FROM reached
      WHERE newer < ${asked.newest}::bigint GROUP BY name, system),
    newest AS (
      SELECT e.name, e.system, e.params AS object
      FROM analytics.events e JOIN edges b ON b.name = e.name AND b.system = e.system
      WHERE ${isAsked(asked, 'e')} AND ${isRecent(asked)} AND e.at > b.edge)`;
}
