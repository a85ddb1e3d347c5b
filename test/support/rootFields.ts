// The root fields of schema.graphql, for tests that go over all of them, and the codes that each of them promises.
import type { GraphQLField, GraphQLSchema } from 'graphql';

export function rootFields(schema: GraphQLSchema): { kind: 'query' | 'mutation'; name: string }[] {
  const query = Object.keys(schema.getQueryType()!.getFields()).map((name) => ({ kind: 'query' as const, name }));
  const mutation = Object.keys(schema.getMutationType()!.getFields());
  return [...query, ...mutation.map((name) => ({ kind: 'mutation' as const, name }))];
}

/** The codes of its own that a root field lists under `Errors:`. */
export function errorsOf({ name, description }: GraphQLField<unknown, unknown>): string[] {
  const errors = /^Errors: ([\s\S]*)$/m.exec(description ?? '')?.[1];
  if (errors === undefined) throw new Error(`${name} does not say its errors`);
  return [...errors.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code!);
}

/** The same for all of them, by their names. */
export function documentedErrors(schema: GraphQLSchema): Map<string, string[]> {
  const fields = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) => Object.values(type.getFields()));
  return new Map(fields.map((field) => [field.name, errorsOf(field)]));
}
