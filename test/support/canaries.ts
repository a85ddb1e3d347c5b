// Fills every field of an input with a recognisable value; the fields come from the contracts, so a new field is filled from its first day.
import { randomBytes } from 'node:crypto';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import type { OpenAPIV3 } from 'openapi-types';

/** Maps each canary to the place where the test put it. */
export type Canaries = Map<string, string>;

export function canary(canaries: Canaries, place: string): string {
  const value = `Canary${randomBytes(8).toString('hex')}`;
  canaries.set(value, place);
  return value;
}

/** Fixed values of some arguments and input fields, by path from the root field: `projectEdit.input.id`. */
export type Fixed = (path: string) => unknown;

export interface CanaryOperation {
  query: string;
  variables: Record<string, unknown>;
}

/**
 * An operation that sets every argument and input field, and selects every field of the response that takes no required
 * argument.
 */
export function canaryOperation(
  schema: GraphQLSchema,
  { kind, name }: { kind: 'query' | 'mutation'; name: string },
  { canaries, fixed }: { canaries: Canaries; fixed: Fixed },
): CanaryOperation {
  const root = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const { args, type } = root.getFields()[name]!;
  const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const variables = args.map((arg) => [arg.name, inputValue(arg.type, `${name}.${arg.name}`, { canaries, fixed })]);
  const query = `${kind}${declared && `(${declared})`} { ${name}${passed && `(${passed})`}${selection(type, 4)} }`;
  return { query, variables: Object.fromEntries(variables) as Record<string, unknown> };
}

function inputValue(type: GraphQLInputType, path: string, making: { canaries: Canaries; fixed: Fixed }): unknown {
  const given = making.fixed(path);
  if (given !== undefined) return given;
  if (isNonNullType(type)) return inputValue(type.ofType, path, making);
  if (isListType(type)) return [inputValue(type.ofType, path, making)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const taken = type.isOneOf ? fields.slice(0, 1) : fields;
    return Object.fromEntries(
      taken.map((field) => [field.name, inputValue(field.type, `${path}.${field.name}`, making)]),
    );
  }
  const text = canary(making.canaries, path);
  if (type.name === 'String') return path.endsWith('email') ? `${text}@example.com` : text;
  if (type.name === 'JSON') return text;
  if (!Object.hasOwn(samples, type.name)) throw new Error(`no sample of the scalar ${type.name}`);
  making.canaries.delete(text);
  return samples[type.name];
}

const samples: Record<string, unknown> = {
  Int: 1,
  Float: 1,
  Boolean: true,
  UUID: '0192f0c4-1111-7000-8000-000000000001',
  DateTime: '2036-09-10T00:26:40Z',
  Date: '2036-09-10',
};

function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named) || !isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const chosen = fields.flatMap((field) => {
    if (isLeafType(getNamedType(field.type))) return [field.name];
    return depth > 1 ? [`${field.name}${selection(field.type, depth - 1)}`] : [];
  });
  return chosen.length > 0 ? ` { ${chosen.join(' ')} }` : '';
}

/** A body of the public API that sets every property and passes its schema. */
export function canaryBody(schema: OpenAPIV3.SchemaObject, path: string, canaries: Canaries): unknown {
  if (schema.oneOf) return canaryBody(schema.oneOf[0] as OpenAPIV3.SchemaObject, path, canaries);
  if (schema.enum) return schema.enum[0] as unknown;
  if (schema.type === 'array') return [canaryBody(schema.items as OpenAPIV3.SchemaObject, path, canaries)];
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      canaryBody(property as OpenAPIV3.SchemaObject, `${path}.${name}`, canaries),
    ]);
    // Adds an unknown member: the service passes some of them on and ignores others.
    return { ...Object.fromEntries(properties), [canary(canaries, `${path} (a key)`)]: canary(canaries, `${path}.*`) };
  }
  if (schema.type === 'string') {
    return schema.format === 'date-time' ? '2026-09-10T00:26:50Z' : canary(canaries, path);
  }
  return schema.type === 'boolean' ? true : (schema.minimum ?? 1);
}
