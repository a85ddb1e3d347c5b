// At most 16 MiB in an answer: what was read once may be asked for under fifteen names, or stand below many objects.
import type { ApolloServerPlugin } from '@apollo/server';
import { mostBytes, tooLong } from '../platform/answerBudget.ts';
import { jsonBytes } from '../platform/json/jsonBytes.ts';
import { formatError } from './errors.ts';

export function answerLimit(): ApolloServerPlugin {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body } }) => {
        if (body.kind !== 'single' || jsonBytes(body.singleResult.data, mostBytes) <= mostBytes) return;
        body.singleResult = { data: null, errors: [formatError({ message: '' }, tooLong())] };
      },
    }),
  };
}
