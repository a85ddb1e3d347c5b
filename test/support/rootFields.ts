// The root fields of schema.graphql, for tests that go over all of them.
import type { GraphQLSchema } from 'graphql';

export function rootFields(schema: GraphQLSchema): { kind: 'query' | 'mutation'; name: string }[] {
  const query = Object.keys(schema.getQueryType()!.getFields()).map((name) => ({ kind: 'query' as const, name }));
  const mutation = Object.keys(schema.getMutationType()!.getFields());
  return [...query, ...mutation.map((name) => ({ kind: 'mutation' as const, name }))];
}
