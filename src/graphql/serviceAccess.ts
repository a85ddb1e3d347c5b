// The root fields that a service token may select, beside the public ones. Every other field is FORBIDDEN for it.
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';

/**
 * A list of what is allowed, so that a new field is out of reach until somebody enters it. Each operation here limits
 * itself to the applications of the caller (`reaches` in workspace/caller.ts).
 */
const fields = {
  Query: [
    'activity',
    'applications',
    'campaign',
    'campaigns',
    'campaignsCount',
    'device',
    'devices',
    'devicesBehind',
    'entitlements',
    'eventNames',
    'eventSeries',
    'funnel',
    'ingestIssues',
    'products',
    'propertyNames',
    'recentEvents',
    'retention',
    'revenue',
    'revenueCurrencies',
    'storeTransactions',
    'subscriptions',
    'userDevices',
    'webhookDeliveries',
    'webhooks',
  ],
  Mutation: ['applicationDelete', 'applicationEdit', 'campaignChangeState', 'campaignEdit', 'webhookRedeliver'],
} as const satisfies { Query: (keyof QueryResolvers)[]; Mutation: (keyof MutationResolvers)[] };

export function isForServices(root: 'Query' | 'Mutation', field: string): boolean {
  return (fields[root] as readonly string[]).includes(field);
}
