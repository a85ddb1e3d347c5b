// The values of a funnel's breakdown as common tables: each unit belongs to the value at its entering event.
import type { Dialect } from '../engine/dialect.ts';
import { sql, type Sql } from '../engine/question.ts';
import { mostValues, sameValue, valueOrder } from './breakdownValues.ts';

/**
 * Beside the tables of `funnelWalks`: `placed` has each unit with the `slot` of the value at its entering event, and `tops` the
 * values of the slots.
 */
export function enteringValues(dialect: Dialect): Sql {
  return sql`entering AS (
      SELECT c.unit, c.kind, c.word, c.figure FROM step0 s JOIN chosen c ON c.unit = s.unit AND c.nth = s.nth),
    ranked AS (
      SELECT kind, word, figure, row_number() OVER (ORDER BY count(*) DESC, ${valueOrder(dialect)}) - 1 AS slot
      FROM entering GROUP BY kind, word, figure),
    tops AS (SELECT * FROM ranked WHERE slot < ${BigInt(mostValues)}::bigint),
    placed AS (
      SELECT a.unit, coalesce(b.slot, ${BigInt(mostValues)}::bigint) AS slot FROM entering a LEFT JOIN tops b ON ${sameValue})`;
}
