// Text that PostgreSQL refuses or changes: the check covers only the fields that are stored.
import type { Schema } from '../../src/platform/json/schema.ts';
import { unstorableText } from '../../src/platform/json/unstorableText.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, value: { oneOf: [] } } } },
    closed: { type: 'object', properties: { known: { type: 'string' } } },
    kept: { type: 'object', additionalProperties: true, properties: { known: { type: 'string' } } },
    free: { type: 'object', additionalProperties: true },
  },
};

function pathsOf(text: string): string[] {
  return unstorableText(text, JSON.parse(text), schema).map(({ path }) => path);
}

test.each([
  ['NUL', '\\u0000'],
  ['NUL between letters', 'a\\u0000b'],
  ['a high surrogate alone', '\\ud800'],
  ['a low surrogate alone, in capitals', '\\uDFFF'],
  ['a pair in the wrong order', '\\ude80\\ud83d'],
  ['a pair and a half', '\\ud83d\\ude80\\ud83d'],
])('%s in a known string is named by its path', (_, escape) => {
  expect(pathsOf(`{"id":"${escape}"}`)).toEqual(['id']);
});

test.each([
  ['a whole pair', '\\ud83d\\ude80'],
  ['a backslash before the letters of an escape', '\\\\u0000'],
  ['other control characters', '\\u0001\\u001f\\u007f\\u0085'],
  ['noncharacters and the replacement character', '\\ufffe\\uffff\\ufffd'],
])('%s may be stored', (_, escape) => {
  expect(pathsOf(`{"id":"${escape}"}`)).toEqual([]);
});

test('every offending place is named, inside arrays and values too', () => {
  const text =
    '{"id":"\\u0000","list":[{"name":"ok","value":"\\u0000"},{"name":"\\ud800","value":1}],"closed":{"known":"\\u0000"}}';
  expect(pathsOf(text)).toEqual(['id', 'list[0].value', 'list[1].name', 'closed.known']);
});

test('what the contract does not know is ignored with all its text', () => {
  const text = '{"later":"\\u0000","closed":{"later":"\\ud800","\\u0000":1},"list":[{"later":{"deep":["\\u0000"]}}]}';
  expect(pathsOf(text)).toEqual([]);
});

test('in an object that is kept as given, unknown values and keys count', () => {
  const text = '{"kept":{"known":"\\u0000","later":{"deep":["ok","\\u0000"]}},"free":{"\\ud800":1}}';
  expect(pathsOf(text)).toEqual(['kept.known', 'kept.later.deep[1]', 'free["\\ud800"]']);
});

test('names of the prototype are unknown fields like any other', () => {
  expect(pathsOf('{"constructor":"\\u0000","__proto__":"\\u0000","toString":{"a":"\\u0000"}}')).toEqual([]);
});
