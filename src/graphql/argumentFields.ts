// Gives the GraphQL library's refusals of literals their `extensions.fields` (schema.graphql, "Errors").
import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLError } from 'graphql';
import type { AdminContext } from './context.ts';
import { refusedLiterals } from './refusedArguments.ts';

export function argumentFields(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, document }) => {
        const refused = errors.filter(ofValidation);
        if (refused.length === 0 || !document) return;
        const faults = refusedLiterals(refused, document);
        // The response's errors are made of these objects after this.
        refused.forEach(({ extensions }, index) => {
          const fault = faults[index];
          if (fault) extensions['fields'] = [fault];
        });
      },
    }),
  };
}

const ofValidation = ({ extensions }: GraphQLError) => extensions['code'] === 'GRAPHQL_VALIDATION_FAILED';
