// From the response of `revenue` to what the screen shows: exact amounts as texts, and numbers only where a chart draws them.
import type { RevenueQuery } from '../../../../generated/screens/revenue/graphql.ts';
import { count, countryName, digitsOf, minus, money, rounded, sumOf } from '../../parts/figures.ts';
import type { ChartLine } from '../../parts/plot.ts';
import type { revenueFigureNames, RevenueSearch } from '../searches.ts';

export type Figure = (typeof revenueFigureNames)[number];
export type Breakdown = NonNullable<RevenueSearch['by']>;

export type Report = NonNullable<RevenueQuery['revenue']>;
export type Totals = Report['totals'];
export type BreakdownLine = NonNullable<Report['breakdown']>[number];

export const figureNames: Record<Figure, string> = {
  gross: 'Gross',
  net: 'Net',
  refunds: 'Refunds',
  purchases: 'Purchases',
  renewals: 'Renewals',
  payers: 'Payers',
};

export const isAmount = (figure: Figure): boolean => figure === 'gross' || figure === 'net' || figure === 'refunds';

/**
 * What the rows of `storeTransactions` show. Its range is that of the purchases: a refund counts at another time. It
 * names no payers, and it has no filter for renewals: the list says which rows count in the figure.
 */
const opening: Partial<Record<Figure, { label: string; counts?: 'purchase' | 'renewal' }>> = {
  gross: { label: 'see the transactions' },
  purchases: { label: 'see the transactions marked “purchase”', counts: 'purchase' },
  renewals: { label: 'see the transactions marked “renewal”', counts: 'renewal' },
};

export const openingOf = (figure: Figure) => opening[figure] ?? null;

/** An amount as decimal text, or a number of purchases. */
function valueOf(figure: Figure, totals: Totals): string | number {
  return figure === 'net' ? minus(totals.gross, totals.refunds) : totals[figure];
}

export function textOf(figure: Figure, totals: Totals, currency: string): string {
  const value = valueOf(figure, totals);
  return typeof value === 'string' ? money(value, currency) : count(value);
}

/**
 * For a tile: in the digits of the currency, which half of a price may pass. The net is that of the two amounts beside it, so that
 * whoever subtracts them finds it.
 */
export function inDigits(totals: Totals, currency: string): Totals {
  const digits = digitsOf(currency);
  return { ...totals, gross: rounded(totals.gross, digits), refunds: rounded(totals.refunds, digits) };
}

export const numberOf = (figure: Figure, totals: Totals): number => Number(valueOf(figure, totals));

export function lineOf(
  points: readonly Totals[],
  figure: Figure,
  { currency, ...line }: { currency: string; name: string; color: number; before?: boolean },
): ChartLine {
  return {
    ...line,
    values: points.map((point) => numberOf(figure, point)),
    texts: points.map((point) => textOf(figure, point, currency)),
  };
}

/** Payers of several points may be the same ones: they have no sum. */
export function sumsOf(points: readonly Totals[]): Omit<Totals, 'payers'> {
  return {
    gross: sumOf(points.map(({ gross }) => gross)),
    refunds: sumOf(points.map(({ refunds }) => refunds)),
    purchases: points.reduce((sum, { purchases }) => sum + purchases, 0),
    renewals: points.reduce((sum, { renewals }) => sum + renewals, 0),
  };
}

export function nameOf({ value, isOther }: Pick<BreakdownLine, 'value' | 'isOther'>, by: Breakdown): string {
  if (isOther) return 'All others';
  if (value === null || value === undefined) return 'Not known';
  return by === 'COUNTRY' ? countryName(value) : value;
}
