// The read of `revenueCurrencies`: the currencies for which `revenue` has an amount.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { question, sql } from '../engine/question.ts';
import { isAskedPurchase, isPaid } from './purchaseRows.ts';

export interface CurrenciesQuestion {
  applicationId: string;
  includeTest: boolean;
}

export async function readRevenueCurrencies(engine: AnalyticsEngine, asked: CurrenciesQuestion): Promise<string[]> {
  const { rows } = await engine.ask<{ currency: string }>(question('revenueCurrencies')`
    SELECT currency FROM (
      SELECT DISTINCT t.currency FROM analytics.transactions t
      WHERE ${isAskedPurchase(asked)} AND ${isPaid} AND t.currency IS NOT NULL) AS paid
    ORDER BY ${engine.dialect.ordered(sql`currency`)}`);
  return rows.map(({ currency }) => currency);
}
