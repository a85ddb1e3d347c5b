// At most 100 errors in an answer: one cause can fail the field of every object of a level.
import type { ApolloServerPlugin } from '@apollo/server';

const mostErrors = 100;

export function errorLimit(): ApolloServerPlugin {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body } }) => {
        if (body.kind !== 'single' || !body.singleResult.errors) return;
        body.singleResult = { ...body.singleResult, errors: body.singleResult.errors.slice(0, mostErrors) };
      },
    }),
  };
}
