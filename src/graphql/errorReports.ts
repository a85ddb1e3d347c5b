// Reports errors in the admin API: failures and refused access in the log, and every error by its code in the metrics.
import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { loggedNetwork } from '../accounts/networkOf.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { accessOf } from './access.ts';
import type { AdminContext } from './context.ts';
import { formatError } from './errors.ts';
import { selectedRootFields } from './selectedFields.ts';

type Finished = GraphQLRequestContextWillSendResponse<AdminContext>;

const codeOf = ({ extensions }: GraphQLFormattedError): unknown => extensions?.['code'];

/** The dashboard sees a failure masked. The log has it once, with its cause and the request's id. */
export function errorReports({ log, metrics }: { log: Log; metrics: Metrics }): ApolloServerPlugin<AdminContext> {
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
      willSendResponse: async (finished) => {
        const { body } = finished.response;
        const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
        for (const error of errors) metrics.adminError(String(codeOf(error)));
        await logRefusal(finished, errors);
      },
    }),
    contextCreationDidFail: async ({ error }) => log.error({ err: error }, 'admin request failed before execution'),
    unexpectedErrorProcessingRequest: async ({ requestContext: { contextValue }, error }) =>
      log.error({ err: error, requestId: contextValue.requestId }, 'admin request failed outside execution'),
  };
}

function isFailure(error: GraphQLError): boolean {
  return codeOf(formatError(error.toJSON(), error)) === 'INTERNAL_SERVER_ERROR';
}

/** By operation and code. The arguments are never logged: a password may be among them. */
async function logRefusal(
  { document, operation, contextValue }: Finished,
  errors: readonly GraphQLFormattedError[],
): Promise<void> {
  const refused = errors.find((error) => ['UNAUTHENTICATED', 'FORBIDDEN'].includes(String(codeOf(error))));
  if (!refused) return;
  const fields = document && operation ? [...selectedRootFields(document, operation)] : [];
  const userId = (await contextValue.authenticate().catch(() => null))?.userId;
  const operations = fields.filter((field) => (accessOf('Mutation', field) ?? accessOf('Query', field)) !== null);
  const network = loggedNetwork(contextValue.address);
  contextValue.log.info({ operations, outcome: codeOf(refused), userId, network }, 'access refused');
}
