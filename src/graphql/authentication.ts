// Refuses with 401 an operation that selects a protected root field while its request has no valid bearer token.
import { HeaderMap, type GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
  visit,
  type DocumentNode,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { accessOf } from './access.ts';
import type { AdminContext } from './context.ts';
import { selectedRootFields } from './selectedFields.ts';

type Resolved = GraphQLRequestContextDidResolveOperation<AdminContext>;

/** Reads names alone, so that it can come before validation. */
export async function assertCaller({ document, operation, contextValue, request }: Resolved): Promise<void> {
  if (!operation || !needsCaller(document, operation, request.variables ?? {})) return;
  if (!(await contextValue.authenticate())) throw unauthenticated();
}

function needsCaller(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): boolean {
  const root = operation.operation === OperationTypeNode.MUTATION ? 'Mutation' : 'Query';
  const fields = [...selectedRootFields(document, operation)];
  if (fields.some((field) => (accessOf(root, field) ?? 'public') !== 'public')) return true;
  return root === 'Mutation' && fields.some((field) => entering.has(field)) && !hasChallenge(document, variables);
}

/** Public with a `challenge` of login, and protected without one. */
const entering = new Set<string>(['invitationAccept', 'organizationCreate'] satisfies (keyof MutationResolvers)[]);

type Variables = Record<string, unknown>;

/**
 * Whether any argument `challenge` has a value. An operation has at most one of the two fields ("Limits"), so the
 * challenge is theirs.
 */
function hasChallenge(document: DocumentNode, variables: Variables): boolean {
  let found = false;
  const given = (value: ValueNode): boolean => isText(valueFromASTUntyped(value, variables));
  visit(document, {
    Argument({ name, value }) {
      if (name.value === 'challenge') found ||= given(value);
      if (name.value === 'input' && value.kind === Kind.VARIABLE)
        found ||= isText(challengeOf(variables[value.name.value]));
    },
    ObjectField({ name, value }) {
      if (name.value === 'challenge') found ||= given(value);
    },
  });
  return found;
}

const challengeOf = (input: unknown): unknown => (input as { challenge?: unknown } | null | undefined)?.challenge;

const isText = (value: unknown): boolean => typeof value === 'string';

function unauthenticated(): GraphQLError {
  const http = { status: 401, headers: new HeaderMap([['www-authenticate', 'Bearer']]) };
  return new GraphQLError('A valid bearer token is needed.', { extensions: { code: 'UNAUTHENTICATED', http } });
}
