// Fills every field of the admin API's arguments and inputs from schema.graphql, so that a new field is filled from its first day.
import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import { newId } from '../../src/platform/inputRules.ts';

export interface Leaf {
  /** The path in the form that errors use: `input.trigger.filters[0].param`. */
  path: string;
  /** The name of the scalar or the enum. */
  type: string;
  value: unknown;
}

export interface Filled {
  value: unknown;
  leaves: Leaf[];
}

/** `given` contains, by path, the values that must not be just any word or number. */
export function filledArguments(
  args: readonly GraphQLArgument[],
  given: Record<string, unknown>,
): { variables: Record<string, unknown>; leaves: Leaf[] } {
  const filled = args.map(({ name, type }) => ({ name, ...filledInput(type, name, given) }));
  return {
    variables: Object.fromEntries(filled.map(({ name, value }) => [name, value])),
    leaves: filled.flatMap(({ leaves }) => leaves),
  };
}

function filledInput(declared: GraphQLInputType, path: string, given: Record<string, unknown>): Filled {
  const type = getNullableType(declared);
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const filled = fields.map(({ name, type }) => ({ name, ...filledInput(type, `${path}.${name}`, given) }));
    const isWanted = ({ name }: { name: string }) => Object.keys(given).some((at) => isWithin(`${path}.${name}`, at));
    // Exactly one field: the one with a given value, or the first. The leaves are those of all.
    const taken = type.isOneOf ? [filled.find(isWanted) ?? filled[0]!] : filled;
    const value = Object.fromEntries(taken.map(({ name, value }) => [name, value]));
    return { value, leaves: filled.flatMap(({ leaves }) => leaves) };
  }
  if (isListType(type)) {
    const { value, leaves } = filledInput(type.ofType, `${path}[0]`, given);
    return { value: [value], leaves };
  }
  const value = Object.hasOwn(given, path) ? given[path] : valueOf(type);
  return { value, leaves: [{ path, type: String(type), value }] };
}

const isWithin = (path: string, at: string): boolean =>
  at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`);

let made = 100;

/** A value that no other field has, as far as the type allows that. */
function valueOf(type: GraphQLInputType): unknown {
  made += 1;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  const values: Record<string, () => unknown> = {
    Int: () => made,
    Float: () => made,
    Boolean: () => true,
    UUID: newId,
    DateTime: () => new Date(Date.UTC(2036, 8, 10) + made * 1_000).toISOString(),
    Date: () => new Date(Date.UTC(2036, 8, 10) + made * 86_400_000).toISOString().slice(0, 10),
    String: () => `word${made}@example.com`,
    JSON: () => `word${made}`,
  };
  const value = values[String(type)];
  if (!value) throw new Error(`no value of the scalar ${String(type)}`);
  return value();
}
