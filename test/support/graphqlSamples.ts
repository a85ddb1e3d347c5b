// A smallest valid operation for any root field of schema.graphql: only what is required, with values of the right type.
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';

export interface SampleOperation {
  query: string;
  variables: Record<string, unknown>;
}

const scalars: Record<string, unknown> = {
  String: 'text',
  ID: 'id',
  Int: 1,
  Float: 1.5,
  Boolean: true,
  UUID: '0192f0c4-1111-7000-8000-000000000001',
  DateTime: '2026-09-10T00:26:40Z',
  JSON: {},
};

export function rootFields(schema: GraphQLSchema): { kind: 'query' | 'mutation'; name: string }[] {
  const query = Object.keys(schema.getQueryType()!.getFields()).map((name) => ({ kind: 'query' as const, name }));
  const mutation = Object.keys(schema.getMutationType()!.getFields());
  return [...query, ...mutation.map((name) => ({ kind: 'mutation' as const, name }))];
}

export function sampleOperation(schema: GraphQLSchema, kind: 'query' | 'mutation', name: string): SampleOperation {
  const root = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const field = root.getFields()[name]!;
  const required = field.args.filter(isRequiredArgument);
  const declared = required.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const passed = required.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  const query = `${kind} Sample${declared && `(${declared})`} { ${name}${passed && `(${passed})`}${selection} }`;
  return { query, variables: Object.fromEntries(required.map((arg) => [arg.name, sampleValue(arg.type)])) };
}

function sampleValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sampleValue(type.ofType);
  if (isListType(type)) return [sampleValue(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(fields.map((field) => [field.name, sampleValue(field.type)]));
  }
  if (!(type.name in scalars)) throw new Error(`no sample of the scalar ${type.name}`);
  return scalars[type.name];
}
