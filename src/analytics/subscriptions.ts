// query subscriptions: the subscriptions of an application at an instant.
import type { QuerySubscriptionsArgs, Subscriptions } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readSubscriptions } from './reads/subscriptionsRead.ts';

type Args = Partial<QuerySubscriptionsArgs> & Pick<QuerySubscriptionsArgs, 'applicationId'>;

/** A client may ask for the present by a clock that is a little ahead. */
const mostAheadMillis = 60_000;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function subscriptions(args: Args, needs: AnalyticsNeeds): Promise<Subscriptions> {
  const rules = inputRules();
  const now = needs.now();
  const asked = args.at ?? now;
  if (asked.getTime() > now.getTime() + mostAheadMillis) rules.refuse('at', 'must not be in the future');
  const at = asked < now ? asked : now;
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readSubscriptions(engine, { applicationId: id, at, includeTest: args.includeTest ?? false }),
    rowsOf: ({ mrr }) => mrr.length,
  });
}
