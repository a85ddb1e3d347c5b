// Writes each failure that the dashboard sees masked, once, with its cause and the request it belongs to.
import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLError } from 'graphql';
import type { Log } from '../platform/observability/log.ts';
import type { AdminContext } from './context.ts';
import { formatError } from './errors.ts';

function isFailure(error: GraphQLError): boolean {
  return formatError(error.toJSON(), error).extensions?.['code'] === 'INTERNAL_SERVER_ERROR';
}

export function failureLog(log: Log): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async ({ contextValue: { requestId } }) => ({
      didEncounterErrors: async ({ errors }) => {
        for (const error of errors.filter(isFailure)) {
          log.error(
            { err: unwrapResolverError(error), requestId, path: error.path?.join('.') },
            'admin operation failed',
          );
        }
      },
    }),
    contextCreationDidFail: async ({ error }) => log.error({ err: error }, 'admin request failed before execution'),
    unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) =>
      log.error({ err: error, requestId: contextValue.requestId }, 'admin request failed outside execution'),
  };
}
