// Bounds each response of the admin API: at most 16 MiB of data and at most 100 errors.
import type { ApolloServerPlugin } from '@apollo/server';
import { mostBytes, tooLong } from '../platform/answerBudget.ts';
import { jsonBytes } from '../platform/json/jsonBytes.ts';
import { formatError } from './errors.ts';

const mostErrors = 100;

/**
 * The response budget counts each row once, when it is read. A request can ask for the same row under fifteen aliases
 * or below many objects, so this file measures the whole response. One cause can fail a field of every object of a
 * level, so errors are bounded too.
 */
export function responseLimits(): ApolloServerPlugin {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body } }) => {
        if (body.kind !== 'single') return;
        if (jsonBytes(body.singleResult.data, mostBytes) > mostBytes) {
          body.singleResult = { data: null, errors: [formatError({ message: '' }, tooLong())] };
        }
        const { errors } = body.singleResult;
        if (errors) body.singleResult = { ...body.singleResult, errors: errors.slice(0, mostErrors) };
      },
    }),
  };
}
