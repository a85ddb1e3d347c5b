// Makes example responses of the admin API from schema.graphql, so that a new field has an example at once.
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  isScalarType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';

type Args = Record<string, unknown>;
type Resolver = (parent: Args, args: Args) => unknown;

/** One example for each scalar, for fields without one in their description. A scalar without an example throws. */
const scalarExamples: Record<string, unknown> = {
  Boolean: true,
  Date: '2026-03-01',
  DateTime: new Date('2026-03-01T09:30:00.000Z'),
  Float: 1,
  ID: '6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10',
  Int: 1,
  JSON: null,
  String: '',
  UUID: '6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10',
};

/** Resolvers for every field of every object type, `Query` and `Mutation` included. */
export function exampleResolvers(schema: GraphQLSchema): Record<string, Record<string, Resolver>> {
  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  );
  return Object.fromEntries(types.map((type) => [type.name, resolversOf(type)]));
}

function resolversOf(type: GraphQLObjectType): Record<string, Resolver> {
  const fields = Object.values(type.getFields());
  return Object.fromEntries(fields.map((field) => [field.name, resolverOf(field)]));
}

/** An object field returns its arguments: the `id` and the members of the input appear in the response. */
function resolverOf(field: GraphQLField<unknown, unknown>): Resolver {
  const example = exampleOf(field.type, field);
  return (parent, args) => {
    const known = parent?.[field.name];
    if (known !== undefined) return known;
    const given = { ...args, ...(args['input'] as Args | undefined) };
    return typeof example === 'object' && isObjectType(getNullableType(field.type)) ? withoutNulls(given) : example;
  };
}

/** The example of an object is empty, because its fields have resolvers of their own. */
function exampleOf(type: GraphQLOutputType, field: GraphQLField<unknown, unknown>): unknown {
  const given = getNullableType(type);
  if (isListType(given)) return listOf(given.ofType, field);
  const named = getNamedType(given);
  if (isEnumType(named)) return named.getValues()[0]!.value;
  if (!isScalarType(named)) return {};
  if (!(named.name in scalarExamples)) throw new Error(`the scalar ${named.name} has no example`);
  if (named.name === 'JSON') return JSON.parse(describedExample(field) ?? 'null');
  return named.name === 'String' ? (describedExample(field) ?? field.name) : scalarExamples[named.name];
}

/** A list of objects with an id has a second entry with another id, because a dashboard keeps objects by their id. */
function listOf(entry: GraphQLOutputType, field: GraphQLField<unknown, unknown>): unknown[] {
  const first = exampleOf(entry, field);
  const type = getNullableType(entry);
  const id = isObjectType(type) ? type.getFields()['id'] : undefined;
  return id ? [first, { id: String(exampleOf(id.type, id)).replace(/.$/, '9') }] : [first];
}

/** Reads an example such as "for example `com.example.shop`", or the first of the values "`iOS` or `Android`". */
function describedExample({ description }: GraphQLField<unknown, unknown>): string | undefined {
  return /for example\s+`([^`]+)`/.exec(description ?? '')?.[1] ?? /^`([^`]+)`(?:,| or )/.exec(description ?? '')?.[1];
}

function withoutNulls(given: Args): Args {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
