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

/** The reasons that a root field lists beside `CONFLICT`. */
export function reasonsOf({ description }: GraphQLField<unknown, unknown>): string[] {
  const listed = /`CONFLICT`\s+\(([^)]*)\)/.exec(/^Errors: ([\s\S]*)$/m.exec(description ?? '')?.[1] ?? '')?.[1] ?? '';
  return [...listed.matchAll(/`([a-z_]+)`/g)].map(([, reason]) => reason!);
}

/** The reasons of conflicts of all root fields, by field. */
export function documentedReasons(schema: GraphQLSchema): Map<string, string[]> {
  return new Map(rootFieldsOf(schema).map((field) => [field.name, reasonsOf(field)]));
}

/** The codes of all root fields, by field. */
export function documentedErrors(schema: GraphQLSchema): Map<string, string[]> {
  return new Map(rootFieldsOf(schema).map((field) => [field.name, errorsOf(field)]));
}

function rootFieldsOf(schema: GraphQLSchema): GraphQLField<unknown, unknown>[] {
  return [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) => Object.values(type.getFields()));
}
