// Counts the errors in answers of the admin API by their code, which the contract bounds.
import type { ApolloServerPlugin } from '@apollo/server';
import type { Metrics } from '../platform/observability/metrics.ts';
import type { AdminContext } from './context.ts';

export function errorCounts(metrics: Metrics): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body } }) => {
        const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
        for (const { extensions } of errors) metrics.adminError(String(extensions?.['code']));
      },
    }),
  };
}
