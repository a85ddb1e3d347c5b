// The unit of a row of `analytics.sessions` or `analytics.events` (schema.graphql, "Units and counts").
import { raw, sql, type Sql } from '../engine/question.ts';
import type { Unit } from '../questions.ts';

/**
 * A key to compare, group and count by. A device's is the relation's own key, a number in the copy. A user's is text with
 * a mark before it, so that a user whose id is that of a device stays another unit.
 */
export function unitOf(unit: Unit, row: string): Sql {
  if (unit === 'DEVICE') return raw(`${row}.device`);
  const [user, device] = [raw(`${row}.unit_user`), raw(`${row}.device`)];
  return sql`(CASE WHEN ${user} IS NULL THEN 'd' || CAST(${device} AS text) ELSE 'u' || ${user} END)`;
}

/**
 * The columns that `unitOf` reads, for GROUP BY: rows are grouped by them first where there are many, because making the
 * text of a user took two thirds of the time of grouping ten million rows by it.
 */
export function unitColumns(unit: Unit, row: string): Sql {
  return raw(unit === 'DEVICE' ? `${row}.device` : `${row}.device, ${row}.unit_user`);
}

/** The same key of a row of `analytics.firsts`. */
export function unitOfFirst(unit: Unit, row: string): Sql {
  if (unit === 'DEVICE') return raw(`${row}.device`);
  const [user, device] = [raw(`${row}.user_id`), raw(`${row}.device`)];
  return sql`(CASE WHEN ${user} IS NULL THEN 'd' || CAST(${device} AS text) ELSE 'u' || ${user} END)`;
}

/** The key among users of a device, over its sessions without a user. */
export function unitOfDevice(row: string): Sql {
  return sql`('d' || CAST(${raw(`${row}.device`)} AS text))`;
}

interface Asked {
  applicationId: string;
  includeTest: boolean;
}

/** Whether the row of any relation belongs to what was asked about. */
export function isAsked({ applicationId, includeTest }: Asked, row: string): Sql {
  const own = sql`${raw(row)}.application_id = ${applicationId}::uuid`;
  return includeTest ? own : sql`${own} AND NOT ${raw(row)}.test`;
}
