// Gives the GraphQL library's refusals of arguments their `extensions.fields` (schema.graphql, "Errors").
import type { ApolloServerPlugin, GraphQLRequestContextDidEncounterErrors } from '@apollo/server';
import type { GraphQLError } from 'graphql';
import type { FieldError } from '../platform/errors.ts';
import type { AdminContext } from './context.ts';
import { tooManyVariableErrors } from './errors.ts';
import { refusedLiterals, refusedVariables } from './refusedArguments.ts';

type Encountered = GraphQLRequestContextDidEncounterErrors<AdminContext>;

export function argumentFields(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async (encountered) => {
        giveFields(encountered.errors.filter(ofValidation), (errors) => ofLiterals(errors, encountered));
        giveFields(encountered.errors.filter(ofVariables), () => ofGivenVariables(encountered));
      },
    }),
  };
}

const ofValidation = ({ extensions }: GraphQLError) => extensions['code'] === 'GRAPHQL_VALIDATION_FAILED';
const ofVariables = ({ extensions, message }: GraphQLError) =>
  extensions['code'] === 'BAD_USER_INPUT' || message === tooManyVariableErrors;

/** The response's errors are made of these objects after this. */
function giveFields(errors: GraphQLError[], faultsOf: (errors: GraphQLError[]) => (FieldError | null)[]): void {
  if (errors.length === 0) return;
  const faults = faultsOf(errors);
  errors.forEach(({ extensions }, index) => {
    const fault = faults[index];
    if (fault) extensions['fields'] = [fault];
  });
}

const ofLiterals = (errors: GraphQLError[], { document }: Encountered) =>
  document ? refusedLiterals(errors, document) : [];

function ofGivenVariables({ schema, document, operation, request: { variables = {} } }: Encountered): FieldError[] {
  return document && operation ? refusedVariables({ schema, document, operation, variables }) : [];
}
