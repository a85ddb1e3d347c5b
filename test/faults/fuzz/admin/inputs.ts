// Values that fit the input types of schema.graphql; an unknown scalar fails the fuzzer.
import fc from 'fast-check';
import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
} from 'graphql';
import { finiteJson, storableText } from '../anyJson.ts';

/** Values for the ids of objects: some objects exist, most do not. */
export type Ids = readonly string[];

type Place = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'description'>;

export function validVariables(args: readonly GraphQLArgument[], ids: Ids): fc.Arbitrary<Record<string, unknown>> {
  const model = args.map((arg): [string, fc.Arbitrary<unknown>] => [arg.name, validInput(arg.type, arg, ids)]);
  const requiredKeys = args
    .filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
    .map(({ name }) => name);
  return fc.record(Object.fromEntries(model), { requiredKeys });
}

function validInput(type: GraphQLInputType, place: Place, ids: Ids): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return validNonNull(type.ofType, place, ids);
  return fc.option(validNonNull(type, place, ids), { nil: null, freq: 6 });
}

function validNonNull(type: GraphQLInputType, place: Place, ids: Ids): fc.Arbitrary<unknown> {
  if (isListType(type)) return fc.array(validInput(type.ofType, place, ids), { maxLength: 3 });
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const model = fields.map((field): [string, fc.Arbitrary<unknown>] => [
      field.name,
      validInput(field.type, field, ids),
    ]);
    if (type.isOneOf)
      return fc.oneof(...fields.map((field) => fc.record({ [field.name]: validNonNull(field.type, field, ids) })));
    const requiredKeys = fields.filter(isRequiredInputField).map(({ name }) => name);
    return fc.record(Object.fromEntries(model), { requiredKeys });
  }
  return validScalar(String(type), place, ids);
}

function validScalar(name: string, place: Place, ids: Ids): fc.Arbitrary<unknown> {
  switch (name) {
    case 'String':
      return fc.oneof(storableText, fc.constantFrom(...wordsFor(place)));
    case 'Int':
      return fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer());
    case 'Float':
      return fc.oneof(fc.integer({ min: 0, max: 10_000_000 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'Boolean':
      return fc.boolean();
    case 'UUID':
      return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...ids) }, fc.uuid());
    case 'DateTime':
      return fc
        .date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'Date':
      return fc
        .date({ min: new Date('1970-01-01'), max: new Date('2040-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10));
    case 'JSON':
      return finiteJson;
    default:
      throw new Error(`the fuzzer does not know the scalar ${name}; teach it in test/faults/fuzz/admin`);
  }
}

/** A field accepts the words that its description quotes; many fields need an email address. */
function wordsFor({ name, description }: Place): string[] {
  const quoted = [...(description ?? '').matchAll(/`([A-Za-z]+)`/g)].map(([, word]) => word!);
  return ['A name', 'someone@example.com', `${name}@example.com`, 'correct horse battery', ...quoted, ...quoted];
}
