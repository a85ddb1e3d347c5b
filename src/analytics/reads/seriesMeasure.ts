// The measures of `eventSeries` as SQL: what is kept of the events, and what a line makes of it (schema.graphql, "Analytics").
import { join, raw, sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { EventSeriesQuestion, Measure } from '../questions.ts';
import { unitOf } from './unitOf.ts';

/**
 * A property may have numbers up to 1.8e308, whose sum both engines refuse. A power of two changes the exponent of a
 * number and none of its digits.
 */
const scale = 2 ** 64;

/** PostgreSQL refuses a product that is too small for a double. */
const smallest = 1e-280;

interface SeriesMeasure {
  /** Columns of an event: each is computed once, and used below under its name. */
  needed: Sql;
  /** Columns of `e` beside its series, point and value: first those to group by, then the aggregates. */
  kept: Sql;
  /** How many columns are grouped by; null where each event stays a row. */
  grouped: number | null;
  /** The measure of a group of such rows. */
  value: Sql;
}

const events = raw('CAST(sum(events) AS bigint)');

export function seriesMeasure(dialect: Dialect, { measure, property, unit }: EventSeriesQuestion): SeriesMeasure {
  const units = { needed: sql`${unitOf(unit, 'e')} AS unit`, kept: sql`e.unit, count(*) AS events`, grouped: 1 };
  const needed = sql`${dialect.property(raw('e.params'), property ?? '')} AS given`;
  const number = scaled(dialect.numberOf(raw('e.given')));
  const exact = exactOf(dialect);
  const sums = {
    ...{ needed, grouped: 0 },
    kept: sql`count(*) AS events, sum(${exact}) AS exact, count(${number}) AS numbers,
      sum(CASE WHEN ${exact} IS NULL THEN ${number} END) AS amount`,
  };
  // Null without a number.
  const sum = sql`(CASE WHEN sum(numbers) > 0
    THEN coalesce(${dialect.doubleOf(sql`sum(exact)`)} * ${1 / scale}::float8, 0) + coalesce(sum(amount), 0) END)`;
  const numbers = { needed, grouped: null, kept: sql`1::bigint AS events, ${number} AS number` };
  switch (measure) {
    case 'COUNT':
      return { needed: sql`1 AS one`, kept: sql`count(*) AS events`, grouped: 0, value: events };
    case 'UNIQUE':
      return { ...units, value: sql`count(DISTINCT unit)` };
    case 'PER_UNIT':
      return { ...units, value: sql`CAST(sum(events) AS float8) / count(DISTINCT unit)` };
    case 'SUM':
      return { ...sums, value: sum };
    case 'AVERAGE':
      return { ...sums, value: sql`${sum} / CAST(nullif(sum(numbers), 0) AS float8)` };
    case 'MEDIAN':
      return { ...numbers, value: dialect.quantile(sql`number`, 0.5) };
    case 'P90':
      return { ...numbers, value: dialect.quantile(sql`number`, 0.9) };
  }
}

/**
 * A number that people write: thirty times 0.1 is 3, and not what thirty doubles next to it give. Null for what a decimal of 18
 * places does not hold to the last digit; below 10^9 the sum of any number of events fits.
 */
function exactOf(dialect: Dialect): Sql {
  const [given, decimal] = [dialect.numberOf(raw('e.given')), dialect.decimalOf(raw('e.given'))];
  return sql`(CASE WHEN abs(${given}) < 1e9 AND ${dialect.doubleOf(decimal)} = ${given} THEN ${decimal} END)`;
}

function scaled(number: Sql): Sql {
  return sql`(CASE WHEN abs(${number}) < ${smallest}::float8 THEN 0 ELSE ${number} * ${1 / scale}::float8 END)`;
}

/** Whether the figure is made of events alone, so that no unit is counted. */
export function isOfEvents(measure: Measure): boolean {
  return measure === 'COUNT' || ofNumbers.includes(measure);
}

const ofNumbers: readonly Measure[] = ['SUM', 'AVERAGE', 'MEDIAN', 'P90'];

/** The measure as the response has it. `found` is null or undefined without an event or a number. */
export function measured(measure: Measure, found: number | null | undefined): number | null {
  if (found == null) return ['COUNT', 'UNIQUE', 'SUM'].includes(measure) ? 0 : null;
  if (!ofNumbers.includes(measure)) return found;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, found * scale));
}

/** Numbers of the columns to group by, from the first on. */
export function ordinals(count: number): Sql {
  return join(Array.from({ length: count }, (_, index) => raw(String(index + 1))));
}
