// Answers of the admin API made from schema.graphql itself: a field that is added has an example on that day.
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

/** One for each scalar, where its description has none; a scalar of the schema without one does not start. */
const scalarExamples: Record<string, unknown> = {
  Boolean: true,
  DateTime: new Date('2026-03-01T09:30:00.000Z'),
  Float: 1,
  ID: '6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10',
  Int: 1,
  JSON: null,
  String: '',
  UUID: '6f1f0d5e-8c1b-4d3e-9a57-2f4f6f0f3a10',
};

/** Resolvers for every field of every object type; `Query` and `Mutation` are like any other. */
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

/** What was asked for comes back: an `id` and the members of an input stand in the object that is answered. */
function resolverOf(field: GraphQLField<unknown, unknown>): Resolver {
  const example = exampleOf(field.type, field);
  return (parent, args) => {
    const known = parent?.[field.name];
    if (known !== undefined) return known;
    const given = { ...args, ...(args['input'] as Args | undefined) };
    return typeof example === 'object' && isObjectType(getNullableType(field.type)) ? withoutNulls(given) : example;
  };
}

/** An example of an object is empty: its fields answer for themselves. */
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

/** Of objects with an id a second one, since a dashboard keeps them by it. */
function listOf(entry: GraphQLOutputType, field: GraphQLField<unknown, unknown>): unknown[] {
  const first = exampleOf(entry, field);
  const type = getNullableType(entry);
  const id = isObjectType(type) ? type.getFields()['id'] : undefined;
  return id ? [first, { id: String(exampleOf(id.type, id)).replace(/.$/, '9') }] : [first];
}

/** Descriptions say "for example `com.example.shop`", or begin with the values there are: "`iOS` or `Android`". */
function describedExample({ description }: GraphQLField<unknown, unknown>): string | undefined {
  return /for example\s+`([^`]+)`/.exec(description ?? '')?.[1] ?? /^`([^`]+)`(?:,| or )/.exec(description ?? '')?.[1];
}

function withoutNulls(given: Args): Args {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
