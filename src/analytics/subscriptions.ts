// query subscriptions: the subscriptions of an application at an instant.
import type { QuerySubscriptionsArgs, Subscriptions } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { notYet } from './reads/notYet.ts';

type Args = Partial<QuerySubscriptionsArgs> & Pick<QuerySubscriptionsArgs, 'applicationId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function subscriptions(args: Args, needs: AnalyticsNeeds): Promise<Subscriptions> {
  const rules = inputRules();
  const now = needs.now();
  const at = args.at ?? now;
  if (at > now) rules.refuse('at', 'must not be in the future');
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  return notYet({ applicationId: id, at, includeTest: args.includeTest ?? false });
}
