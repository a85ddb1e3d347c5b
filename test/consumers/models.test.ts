// Generates models for Swift and Kotlin with quicktype, reads them back and compares them with each schema of openapi.yaml.
import type { OpenAPIV3 } from 'openapi-types';
import { generateConsumer, type ConsumerProject } from '../support/consumerProject.ts';
import { readKotlin, readSwift, type Models } from '../support/modelText.ts';

type Schema = OpenAPIV3.SchemaObject;
type SchemaOrRef = Schema | OpenAPIV3.ReferenceObject;

/** A language's names for the types of JSON. */
interface Language {
  file: string;
  read: (text: string) => Models;
  words: Record<'string' | 'number' | 'integer' | 'boolean' | 'map' | 'anything', string>;
  list: (item: string) => string;
  /** Types that stand for an empty object. */
  empty: string[];
}

const languages: [string, Language][] = [
  [
    'Swift',
    {
      file: 'Models.swift',
      read: readSwift,
      // Int has 64 bits on every current platform.
      words: {
        string: 'String',
        number: 'Double',
        integer: 'Int',
        boolean: 'Bool',
        map: '[String: JSONAny]',
        anything: 'JSONAny',
      },
      list: (item) => `[${item}]`,
      empty: ['Accepted'],
    },
  ],
  [
    'Kotlin',
    {
      file: 'Models.kt',
      read: readKotlin,
      words: {
        string: 'String',
        number: 'Double',
        integer: 'Long',
        boolean: 'Boolean',
        map: 'Map<String, Any?>',
        anything: 'Any?',
      },
      list: (item) => `List<${item}>`,
      empty: [],
    },
  ],
];

let project: ConsumerProject;
let schemas: Record<string, Schema>;
beforeAll(async () => {
  project = await generateConsumer('models');
  schemas = (JSON.parse(project.read('openapi.json')) as { components: { schemas: typeof schemas } }).components
    .schemas;
}, 600_000);
afterAll(() => project.remove());

const named = (holds: (schema: Schema) => unknown) =>
  Object.fromEntries(Object.entries(schemas).filter(([, schema]) => holds(schema)));

describe.each(languages)('%s', (_, { file, read, words, list, empty }) => {
  const models = () => read(project.read(file));

  /** The type as the language writes it; `property` names an object that has no name of its own. */
  function typeOf(schema: SchemaOrRef, property: string): string {
    if ('$ref' in schema) {
      const name = schema.$ref.split('/').at(-1)!;
      const target = schemas[name]!;
      return target.properties || target.enum || target.oneOf ? name : typeOf(target, property);
    }
    if (schema.type === 'array') return list(typeOf(schema.items, property));
    if (schema.type !== 'object') return words[schema.type ?? 'anything'];
    return schema.properties ? pascalCase(property) : words.map;
  }

  function fieldsOf({ properties = {}, required = [] }: Schema): [string, string][] {
    return Object.entries(properties).map(([name, schema]) => {
      const mayBeMissing = !required.includes(name) || ('nullable' in schema && schema.nullable);
      const type = typeOf(schema, name);
      return [name, mayBeMissing && !type.endsWith('?') ? `${type}?` : type];
    });
  }

  test('every object is a type under its own name, with each field, its type, and whether it may be missing', () => {
    const expected = Object.entries(named(({ properties }) => properties)).map(([name, schema]) => [
      name,
      fieldsOf(schema),
    ]);
    // The only unnamed object: `nullable` stands beside its fields, and a reference cannot carry it.
    const { store_search_ads: search } = schemas['AttributionPayloads']!.properties!;
    expected.push(['StoreSearchAds', fieldsOf(search as Schema)]);
    const written = Object.entries(models().types).map(([name, fields]) => [name, sorted(Object.entries(fields))]);
    expect(sorted(written)).toEqual(
      sorted([
        ...expected.map(([name, fields]) => [name, sorted(fields as [string, string][])]),
        ...empty.map((name) => [name, []]),
      ]),
    );
    expect(expected.length).toBeGreaterThan(30);
  });

  test('every enum has the name and the values of the contract', () => {
    const expected = Object.entries(named((schema) => schema.enum)).map(([name, { enum: values }]) => [
      name,
      sorted(values!),
    ]);
    const written = Object.entries(models().enums).map(([name, values]) => [name, sorted(values)]);
    expect(sorted(written)).toEqual(sorted(expected));
    expect(expected.length).toBeGreaterThan(10);
  });

  test('a value is one of its kinds', () => {
    const { string, number, boolean } = words;
    expect(models().unions).toEqual({
      PropertyValue: [boolean, number, string],
      ConditionValue: [boolean, number, string, list('PropertyValue')],
    });
  });
});

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function sorted<Item>(items: readonly Item[]): Item[] {
  return [...items].sort((one, other) => (String(one) < String(other) ? -1 : 1));
}
