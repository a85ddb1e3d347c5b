// query revenueCurrencies: the currencies of an application's purchases.
import type { QueryRevenueCurrenciesArgs } from '../../generated/graphql.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { question, sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import { isAskedPurchase, isPaid } from './reads/purchaseRows.ts';

type Args = Partial<QueryRevenueCurrenciesArgs> & Pick<QueryRevenueCurrenciesArgs, 'applicationId'>;

/** Throws `not_found` (the application), `analytics_unavailable`. */
export async function revenueCurrencies(args: Args, needs: AnalyticsNeeds): Promise<string[]> {
  const { id } = await findAskedApplication(needs, args.applicationId);
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readRevenueCurrencies(engine, { applicationId: id, includeTest: args.includeTest ?? false }),
    rowsOf: (currencies) => currencies.length,
  });
}

// The read of `revenueCurrencies`: the currencies for which `revenue` has an amount.

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
