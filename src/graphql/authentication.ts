// Responds 401 before execution when an operation selects a protected root field and the request has no valid bearer token.
import { HeaderMap, type ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, OperationTypeNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { accessOf } from './access.ts';
import type { AdminContext } from './context.ts';
import { selectedRootFields } from './selectedFields.ts';

export function authentication(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, contextValue }) => {
        if (!operation || !needsCaller(document, operation)) return;
        if (!(await contextValue.authenticate())) throw unauthenticated();
      },
    }),
  };
}

function needsCaller(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const root = operation.operation === OperationTypeNode.MUTATION ? 'Mutation' : 'Query';
  return [...selectedRootFields(document, operation)].some((field) => (accessOf(root, field) ?? 'public') !== 'public');
}

function unauthenticated(): GraphQLError {
  const http = { status: 401, headers: new HeaderMap([['www-authenticate', 'Bearer']]) };
  return new GraphQLError('A valid bearer token is needed.', { extensions: { code: 'UNAUTHENTICATED', http } });
}
