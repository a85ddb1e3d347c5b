// The root fields of schema.graphql, for tests over all of them, and the error codes that each of them lists.
import type { GraphQLField, GraphQLSchema } from 'graphql';

export function rootFields(schema: GraphQLSchema): { kind: 'query' | 'mutation'; name: string }[] {
  const query = Object.keys(schema.getQueryType()!.getFields()).map((name) => ({ kind: 'query' as const, name }));
  const mutation = Object.keys(schema.getMutationType()!.getFields());
  return [...query, ...mutation.map((name) => ({ kind: 'mutation' as const, name }))];
}

/** The codes that a root field lists under `Errors:`. */
export function errorsOf({ name, description }: GraphQLField<unknown, unknown>): string[] {
  const errors = /^Errors: ([\s\S]*)$/m.exec(description ?? '')?.[1];
  if (errors === undefined) throw new Error(`${name} does not say its errors`);
  return [...errors.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code!);
}

/** The codes of all root fields, by field. */
export function documentedErrors(schema: GraphQLSchema): Map<string, string[]> {
  const fields = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) => Object.values(type.getFields()));
  return new Map(fields.map((field) => [field.name, errorsOf(field)]));
}
