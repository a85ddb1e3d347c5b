// Lists of named values, half of an upload: the objects that are stored of them, whichever way they were read.
import { Ajv } from 'ajv';
import type { Schema } from '../../src/platform/json/schema.ts';
import { compileOnePass } from '../../src/http/onePass/onePass.ts';
import { loadPublicContract } from '../../src/http/contract.ts';
import { operations } from '../../src/http/operations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { propertyJson, type Property } from '../../src/platform/json/propertyJson.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

const ajv = new Ajv({ strict: false });
const read = (schema: Schema, text: string): unknown => compileOnePass(ajv, schema)(Buffer.from(text));

const named = {
  type: 'object',
  description: 'A name and what it stands for.',
  required: ['name', 'value'],
  properties: {
    name: { type: 'string', pattern: '[^\\t-\\r \\u00a0]', maxLength: 5 },
    value: { oneOf: [{ type: 'string', maxLength: 30 }, { type: 'number' }, { type: 'boolean' }] },
  },
} satisfies Schema;
const lists = { type: 'array', items: { type: 'array', items: named, maxItems: 3 } } satisfies Schema;
const written = (text: string): string[] | undefined =>
  (read(lists, text) as Property[][] | undefined)?.map(propertyJson);

test('is the object that is stored of it', () => {
  const text = '[[{"name":"a","value":"b"},{"name":"n","value":-0.5}],[],[{"name":"on","value":true}]]';
  expect(written(text)).toEqual(['{"a":"b","n":-0.5}', '{}', '{"on":true}']);
});

test('with the value before the name, white space, and one name twice', () => {
  expect(written('[[ { "value" : 1 , "name" : "a" } , { "name":"a" , "value":"x y" } ]]')).toEqual([
    '{"a":1,"a":"x y"}',
  ]);
});

test.each([
  ...['0', '-0', '7', '-12', '1.50', '1e2', '-1.5e-7', '123456789012345', '9007199254740991', 'true', 'false'],
  ...['""', '"a b"', '"é\u{1f680}"', '"\\"\\\\\\n\\u00e9\\ud83d\\ude80"', '"\x7f\u2028"'],
])('holds the value %s as JSON.parse reads it', (value) => {
  const [text] = written(`[[{"name":"a","value":${value}}]]`)!;
  const properties = [{ name: 'a', value: JSON.parse(value) as Property['value'] }];
  expect(text).toBe(propertyJson(properties));
});

test('both lists of openapi.yaml are read in one pass', async () => {
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  const { readPlain } = contract.match('POST', '/api/v1/session')!.body!;
  const properties = [{ name: 'plan', value: 'pro' }];
  const report = aReport({ user: { properties }, sessions: [aSession({ events: [anEvent({ params: properties })] })] });
  expect(readPlain(Buffer.from(JSON.stringify(report)))).toEqual(report);
});

test.each(['1e20', '9e20', '-1e20', '1E20', '1e21', '1e-6', '1.7976931348623157e308', '5e-324'])(
  'keeps %s, which JSON writes longer',
  (value) => {
    const item = `{"name":"","value":${value}}`.replace('""', '"\x7f"');
    const texts = written(
      `[${Array(200)
        .fill(`[${Array(3).fill(item).join()}]`)
        .join()}]`,
    )!;
    expect(texts).toEqual(
      Array(200).fill(
        `{${Array(3)
          .fill(`"\x7f":${JSON.stringify(Number(value))}`)
          .join()}}`,
      ),
    );
  },
);

test.each([
  ['a name with an escape', '{"name":"\\u0061\\n","value":1}', '{"a\\n":1}'],
  ['a name of other letters', '{"name":"é","value":1}', '{"é":1}'],
  ['a name that begins with a space', '{"name":" a","value":1}', '{" a":1}'],
  ['the longest name', '{"name":"abcde","value":1}', '{"abcde":1}'],
])('%s', (_, item, text) => {
  expect(written(`[[${item}]]`)).toEqual([text]);
});

test.each([
  ['a blank name', '{"name":" ","value":1}'],
  ['one of other space', '{"name":"\u00a0","value":1}'],
  ['one whose space is an escape', '{"name":"\\u0020","value":1}'],
  ['an empty name', '{"name":"","value":1}'],
  ['too long a name', '{"name":"abcdef","value":1}'],
  ['too long a value', `{"name":"a","value":"${'x'.repeat(31)}"}`],
  ['too long a value in escapes', `{"name":"a","value":"${'\\n'.repeat(31)}"}`],
  ['NUL', '{"name":"a","value":"\\u0000"}'],
  ['half of a surrogate pair', '{"name":"a","value":"\\ud83d"}'],
  ['an integer that a double rounds', '{"name":"a","value":9007199254740993}'],
  ['null', '{"name":"a","value":null}'],
  ['a list', '{"name":"a","value":[]}'],
  ['no name', '{"value":1}'],
  ['no value', '{"name":"a"}'],
  ['a name twice', '{"name":"a","name":"a","value":1}'],
  ['a value twice', '{"name":"a","value":1,"value":1}'],
  ['a member that is not named', '{"name":"a","value":1,"more":1}'],
  ['too many', Array(4).fill('{"name":"a","value":1}').join()],
])('%s is left to the long way', (_, items) => {
  expect(() => void JSON.parse(`[[${items}]]`)).not.toThrow();
  expect(written(`[[${items}]]`)).toBeUndefined();
});

test.each(['{"name":"a","value":1', '{"name":"a""value":1}', '{"name":"a","value":01}', '{"name":"a","value":tru}'])(
  'what is no JSON: %s',
  (items) => {
    expect(written(`[[${items}]]`)).toBeUndefined();
    expect(written(`[[${items}`)).toBeUndefined();
  },
);

test.each<[string, Partial<Schema>]>([
  ['another member', { properties: { ...named.properties, more: { type: 'number' } } }],
  ['an optional value', { required: ['name'] }],
  ['null allowed', { properties: { ...named.properties, name: { ...named.properties.name, nullable: true } } }],
  ['names of one pattern', { properties: { ...named.properties, name: { type: 'string', pattern: '^[a-z]+$' } } }],
  ['values of another type', { properties: { ...named.properties, value: { type: 'number' } } }],
  ['a check of its own', { 'x-odd': true }],
])('with %s it is read, too', (_, change) => {
  const value = [{ name: 'a', value: 1 }];
  expect(read({ type: 'array', items: { ...named, ...change } }, JSON.stringify(value))).toEqual(value);
});
