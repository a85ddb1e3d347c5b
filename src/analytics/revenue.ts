// query revenue: what the purchases of one currency brought.
import type { QueryRevenueArgs, Revenue } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, inItsZone } from './askEngine.ts';
import { type Dialect, empty, question, type Question, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import type { RevenueQuestion } from './questions.ts';
import { mostValues } from './reads/filters.ts';
import { amountOf, amountText, isAskedPurchase, isPaid } from './reads/purchaseRows.ts';
import { isComplete, isWithin, microsOf, pointOf, type ReportPoint, reportPoints } from './reportDays.ts';
import { readRevenueInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function revenue({ input }: QueryRevenueArgs, needs: AnalyticsNeeds): Promise<Revenue> {
  const rules = inputRules();
  const asked = readRevenueInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<RevenueQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readRevenue(engine, question, needs.now()),
    rowsOf: ({ points, breakdown }) =>
      points.length + (breakdown ?? []).reduce((sum, line) => sum + 1 + line.points.length, 0),
  });
}

// The read of `revenue`: purchases by the time of purchase and refunds by the time of the refund, in exact whole numbers.

export interface RevenueFigures {
  /** Decimal text, as `refunds`. */
  gross: string;
  refunds: string;
  purchases: number;
  payers: number;
  renewals: number;
}

export type RevenuePoint = RevenueFigures & { start: Date; complete: boolean };

export interface RevenueLine {
  value: string | null;
  isOther: boolean;
  points: RevenuePoint[];
}

export interface RevenueResult {
  points: RevenuePoint[];
  totals: RevenueFigures;
  breakdown: RevenueLine[] | null;
  asOf: Date;
}

export async function readRevenue(engine: AnalyticsEngine, asked: RevenueQuestion, now: Date): Promise<RevenueResult> {
  const points = reportPoints(asked, asked.interval);
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked, { points, now }));
  const found = new Map(rows.map((row) => [`${row.slot} ${row.point}`, row]));
  const figuresAt = (slot: number | null, point: number | null) =>
    figuresOf(found.get(`${slot} ${point}`), asked.currency);
  const pointsOf = (slot: number | null): RevenuePoint[] =>
    points.map((point, index) => ({
      start: new Date(point.start),
      complete: isComplete(point, { now, asOf }),
      ...figuresAt(slot, index),
    }));
  const slots = rows.filter(({ slot, point }) => slot !== null && point === null);
  const lines = slots
    .sort((one, other) => one.slot! - other.slot!)
    .map(({ slot, value }) => ({ value, isOther: slot === mostValues, points: pointsOf(slot) }));
  return {
    points: pointsOf(null),
    totals: figuresAt(null, null),
    breakdown: asked.breakdown === 'NONE' ? null : lines,
    asOf,
  };
}

interface Row {
  /** The place of the value among all; null for all values. */
  slot: number | null;
  value: string | null;
  /** Null for the whole range. */
  point: number | null;
  /** Thousandths, as text. */
  gross: string;
  /** Hundred-thousandths of thousandths, as text. */
  refunds: string;
  purchases: number;
  payers: number;
  renewals: number;
}

function figuresOf(row: Row | undefined, currency: string): RevenueFigures {
  return {
    gross: amountText(BigInt(row?.gross ?? 0), 3, currency),
    refunds: amountText(BigInt(row?.refunds ?? 0), 8, currency),
    purchases: row?.purchases ?? 0,
    payers: row?.payers ?? 0,
    renewals: row?.renewals ?? 0,
  };
}

/** The value of a transaction, and the join that it needs. */
function valueOf({ breakdown, applicationId }: RevenueQuestion, dialect: Dialect): { value: Sql; join: Sql } {
  switch (breakdown) {
    case 'PRODUCT':
      return { value: sql`t.product_id`, join: empty };
    case 'COUNTRY':
      return { value: sql`t.storefront`, join: empty };
    case 'PLATFORM':
      return {
        value: dialect.textOf(dialect.property(sql`d.properties`, 'platform')),
        join: sql`LEFT JOIN analytics.devices d ON d.application_id = ${applicationId}::uuid AND d.id = t.device_id`,
      };
    case 'NONE':
      return { value: sql`CAST(NULL AS text)`, join: empty };
  }
}

/** The percentage in its thousandths, as which the store gives it; all without one. */
const thousandthsOfPercent = sql`CAST(round(coalesce(greatest(least(t.revocation_percent, 100), 0), 100) * 1000) AS numeric(6, 0))`;

interface Times {
  points: readonly ReportPoint[];
  now: Date;
}

/**
 * A renewal that the store has booked before its begin counts from its begin on, and so does its refund where it was taken back
 * before: no refund comes before its purchase.
 */
function statement(dialect: Dialect, asked: RevenueQuestion, { points, now }: Times): Question {
  const { value, join } = valueOf(asked, dialect);
  const own = sql`${isAskedPurchase(asked)} AND ${isPaid} AND t.currency = ${asked.currency}::text
    AND t.purchased_at <= ${microsOf(now.getTime())}::bigint`;
  const within = (at: Sql) => isWithin(at, points);
  const bought = sql`t.purchased_at`;
  const revoked = sql`(CASE WHEN t.revoked_at < t.purchased_at THEN t.purchased_at ELSE t.revoked_at END)`;
  const isRefund = sql`t.revocation_type IS DISTINCT FROM 'FAMILY_REVOKE'`;
  const slot =
    asked.breakdown === 'NONE' ? sql`CAST(NULL AS bigint)` : sql`least(place, ${BigInt(mostValues)}::bigint)`;
  const sets = asked.breakdown === 'NONE' ? sql`(slot, point), (slot)` : sql`(slot, point), (slot), (point), ()`;
  // The join of `placed`: PostgreSQL hashes no IS NOT DISTINCT FROM.
  return question('revenue')`WITH
    moves AS (
      SELECT ${value} AS value, ${pointOf(dialect, bought, points)} AS point, t.payer, t.line <> t.id AS renewal,
        ${amountOf} AS gross, CAST(NULL AS numeric(38, 0)) AS refund
      FROM analytics.transactions t ${join} WHERE ${own} AND ${within(bought)}
      UNION ALL
      SELECT ${value}, ${pointOf(dialect, revoked, points)}, NULL, NULL, NULL, ${amountOf} * ${thousandthsOfPercent}
      FROM analytics.transactions t ${join} WHERE ${own} AND ${isRefund} AND ${within(revoked)}),
    places AS (
      SELECT value, row_number() OVER (ORDER BY coalesce(sum(gross), 0) DESC, value IS NULL, ${dialect.ordered(sql`value`)}) - 1 AS place
      FROM moves GROUP BY value),
    placed AS (
      SELECT ${slot} AS slot, m.* FROM moves m
        JOIN places p ON (p.value IS NULL) = (m.value IS NULL) AND coalesce(p.value, '') = coalesce(m.value, ''))
  SELECT slot, CASE WHEN slot < ${BigInt(mostValues)}::bigint THEN min(value) END AS value, point,
    CAST(coalesce(sum(gross), 0) AS text) AS gross, CAST(coalesce(sum(refund), 0) AS text) AS refunds,
    count(*) FILTER (WHERE NOT renewal) AS purchases, count(*) FILTER (WHERE renewal) AS renewals,
    count(DISTINCT payer) AS payers
  FROM placed GROUP BY GROUPING SETS (${sets})`;
}
