// Changes to one node of an operation's variables: values that its type refuses, and odd values that it accepts.
import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import { RawJson } from '../../../../src/platform/json/jsonBytes.ts';
import type { Segments } from '../public/changes.ts';
import { blankTexts, noInstants, oddNumbers, oddStructures, oddTexts, unstorableTexts } from '../texts.ts';

export interface InputSite {
  /** The type without its non-null mark. */
  type: GraphQLInputType;
  required: boolean;
  at: Segments;
  value: unknown;
}

export function inputSites(args: readonly GraphQLArgument[], variables: Record<string, unknown>): InputSite[] {
  return args.flatMap(({ name, type }) => sitesOf(type, variables[name], [name]));
}

function sitesOf(declared: GraphQLInputType, value: unknown, at: Segments): InputSite[] {
  const required = isNonNullType(declared);
  const type: GraphQLInputType = required ? declared.ofType : declared;
  const site = { type, required, at, value };
  if (isListType(type) && Array.isArray(value)) {
    return [site, ...value.flatMap((item, index) => sitesOf(type.ofType, item, [...at, index]))];
  }
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return [site];
  // A further field of a @oneOf input would make the whole input invalid.
  const fields = Object.values(type.getFields()).filter(({ name }) => !type.isOneOf || name in value);
  return [
    site,
    ...fields.flatMap((field) =>
      sitesOf(field.type, (value as Record<string, unknown>)[field.name], [...at, field.name]),
    ),
  ];
}

const uuid = '018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90';
const raw = (texts: readonly string[]) => texts.map((text) => new RawJson(text));
// RFC 3339 allows lower-case letters and a leap second; schema.graphql mentions neither.
const noMoments = noInstants.filter((text) => !/\dt\d|:60Z/.test(text));

const refusedScalars: Record<string, readonly unknown[]> = {
  String: [7, true, {}, [1]],
  Int: [0.5, 'x', '1', true, {}, 2_147_483_648, -2_147_483_649, ...raw(['1e400', '1e10'])],
  Float: ['x', '1', true, {}, ...raw(['1e400', '-1e400'])],
  Boolean: [0, 1, 'true', {}, []],
  UUID: [
    '',
    'x',
    7,
    true,
    {},
    `{${uuid}}`,
    `${uuid}0`,
    uuid.slice(1),
    uuid.replaceAll('-', ''),
    ` ${uuid}`,
    `${uuid}\n`,
    `${uuid}\0`,
  ],
  DateTime: [7, true, {}, ...noMoments],
  Date: [7, true, {}, '', 'x', '2026-02-30', '2026-3-1', '0000-01-01', '2026-03-01T00:00:00Z'],
  JSON: [
    ...unstorableTexts,
    { a: ['\0'] },
    { '\ud800': 1 },
    ...raw(['1e400', '[-1e400]', `${'['.repeat(33)}${']'.repeat(33)}`]),
  ],
};

/** Values that GraphQL refuses before execution. */
export function refusedInputs({ type, required, value }: InputSite): unknown[] {
  return [...(required ? [null, undefined] : []), ...refusedValues(type, value)];
}

function refusedValues(type: GraphQLInputType, value: unknown): unknown[] {
  if (isEnumType(type)) return ['', 'X', 7, true, {}, type.getValues()[0]!.name.toLowerCase()];
  if (isInputObjectType(type)) {
    const without = Object.values(type.getFields())
      .filter(isRequiredInputField)
      .map(({ name }) => ({ ...(value as object), [name]: undefined }));
    return [
      'x',
      7,
      true,
      [7],
      { ...(value as object), added: 1 },
      { ...(value as object), ['__proto__']: 1 },
      ...without,
    ];
  }
  // GraphQL accepts a single value as a list of one. So only values that no item may have are refused.
  if (isListType(type)) return [[{ added: 1 }]].filter(() => String(type.ofType).startsWith('String'));
  const refused = refusedScalars[String(type)];
  if (!refused) throw new Error(`the fuzzer does not know what ${String(type)} refuses`);
  return [...refused];
}

const longTexts = ['x'.repeat(257), 'x'.repeat(9_000), '\u{1f680}'.repeat(257), `${'x'.repeat(300)}@example.com`];
const shallow = oddStructures.filter((text) => !/\[{40}|0,0,0|__proto__|id":1,/.test(text));
const oddScalars: Record<string, readonly unknown[]> = {
  String: [...oddTexts, ...blankTexts, ...unstorableTexts, ...longTexts],
  Int: [0, -1, 1, 1_001, 2_147_483_647, -2_147_483_648],
  Float: [0, -1, 0.5, ...raw(['-0', '9007199254740991', '9007199254740993', '1.7976931348623157e308', '5e-324'])],
  Boolean: [true, false],
  DateTime: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2024-02-29T23:59:59.123456789+23:59'],
  UUID: [uuid, uuid.toUpperCase(), '00000000-0000-0000-0000-000000000000'],
  JSON: [
    ...oddTexts,
    ...longTexts,
    ...raw(shallow.filter((text) => !text.includes('\\u0000'))),
    ...raw(oddNumbers.filter((text) => Number.isFinite(Number(text)))),
  ],
};

/** Values that the type accepts, whether or not the operation does. */
export function oddInputs({ type }: InputSite): unknown[] {
  return [...(oddScalars[String(type)] ?? [])];
}
