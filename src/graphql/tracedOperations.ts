// Says on the span of an admin request which fields it asks for: names of schema.graphql, and no argument.
import type { ApolloServerPlugin } from '@apollo/server';
import type { Tracing } from '../platform/observability/tracing/tracing.ts';
import type { AdminContext } from './context.ts';
import { selectedRootFields } from './selectedFields.ts';

export function tracedOperations(tracing: Tracing): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      // After validation: before it, a name may be any text of the caller.
      executionDidStart: async ({ document, operation }) => {
        tracing.current()?.set({
          'graphql.operation.type': operation.operation,
          'graphql.root_fields': [...selectedRootFields(document, operation)],
        });
      },
      willSendResponse: async ({ response: { body } }) => {
        const errors = (body.kind === 'single' && body.singleResult.errors) || [];
        if (errors.length === 0) return;
        const codes = errors.map(({ extensions }) => String(extensions?.['code']));
        tracing.current()?.set({ 'graphql.error_codes': [...new Set(codes)] });
      },
    }),
  };
}
