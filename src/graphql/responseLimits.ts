// Bounds each response of the admin API: at most 16 MiB of data and at most 100 errors.
import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import { mostBytes, tooLong } from '../platform/answerBudget.ts';
import { jsonBytes } from '../platform/json/jsonBytes.ts';
import type { AdminContext } from './context.ts';
import { formatError } from './errors.ts';

const mostErrors = 100;

/**
 * The response budget counts each row once, when it is read. A request can ask for the same row under fifteen aliases
 * or below many objects, so this file measures the whole response before it is written. One cause can fail a field of
 * every object of a level, so errors are bounded too. Nothing here waits: Apollo calls the plugins after this one at once.
 */
export function responseLimits(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response }) => limit(response),
    }),
  };
}

function limit({ body }: GraphQLRequestContextWillSendResponse<AdminContext>['response']): void {
  if (body.kind !== 'single') return;
  const { data, errors } = body.singleResult;
  if (data && jsonBytes(data, mostBytes) > mostBytes) {
    body.singleResult = { data: null, errors: [formatError({ message: '' }, tooLong())] };
  } else if (errors) body.singleResult = { ...body.singleResult, errors: errors.slice(0, mostErrors) };
}
