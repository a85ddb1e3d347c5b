// query revenueCurrencies: the currencies of an application's purchases.
import type { QueryRevenueCurrenciesArgs } from '../../generated/graphql.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readRevenueCurrencies } from './reads/revenueCurrenciesRead.ts';

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
