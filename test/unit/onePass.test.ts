// The one-pass reader of plain bodies: it returns the value of JSON.parse, or nothing when it stops.
import { Ajv } from 'ajv';
import type { Schema } from '../../src/platform/json/schema.ts';
import { compileOnePass } from '../../src/http/onePass/onePass.ts';

const ajv = new Ajv({ strict: false });
const read = (schema: Schema, text: string | Buffer): unknown =>
  compileOnePass(ajv, schema)(typeof text === 'string' ? Buffer.from(text) : text);

const anything = { oneOf: [{ type: 'string', maxLength: 20 }, { type: 'number' }, { type: 'boolean' }] };
const list = { type: 'array', items: anything, minItems: 1, maxItems: 4 };
const object = {
  type: 'object',
  description: 'Of every kind.',
  required: ['id', 'list'],
  properties: {
    id: { type: 'string', pattern: '[^ ]', maxLength: 5, example: 'a' },
    list,
    count: { type: 'integer', minimum: 0, maximum: 9 },
    part: { type: 'number', nullable: true, minimum: -1 },
    whole: { type: 'integer' },
    word: { type: 'string', enum: ['a', 'b'], nullable: true },
    isOn: { type: 'boolean' },
  },
} satisfies Schema;
const inList = (text: string): string => `{"id":"x","list":[${text}]}`;

test.each([
  ['members in their order', '{"id":"x","list":[1],"count":3,"part":0.5,"word":"a","isOn":true}'],
  ['in another one', '{"isOn":false,"part":null,"list":["a","b"],"id":"x"}'],
  ['white space wherever it may stand', ' {\t"id" :\r\n"x" , "list" : [ 1 , true , "y" ] } \n'],
])('%s', (_, text) => {
  expect(read(object, text)).toStrictEqual(JSON.parse(text));
});

test.each([
  ...['0', '-0', '7', '-12', '0.5', '-0.25', '1.50', '123456789012345', '12345678901.2345', '0.000000000000001'],
  ...['1732438112.345678', '0.1234567890123456789', '9007199254740991', '1e3', '1E+3', '-1.5e-7', '5e-324', '1e308'],
])('the number %s', (text) => {
  const [value] = (read(object, inList(text)) as { list: number[] }).list;
  expect(Object.is(value, JSON.parse(text))).toBe(true);
});

test.each(['""', '"é\u{1f680}"', '"\\"\\\\\\/\\b\\n\\u00e9"', '"\\ud83d\\ude80"', '"\x7f\u2028"'])(
  'the string %s',
  (text) => {
    expect(read(object, inList(text))).toStrictEqual({ id: 'x', list: [JSON.parse(text)] });
  },
);

test.each([
  ['a member that is not named', '{"id":"x","list":[1],"more":1}'],
  ['one that stands twice', '{"id":"x","id":"x","list":[1]}'],
  ['a key with an escape', '{"\\u0069d":"x","list":[1]}'],
  ['one that is missing', '{"id":"x"}'],
  ['a wrong type', '{"id":1,"list":[1]}'],
  ['null where it may not stand', '{"id":"x","list":[1],"count":null}'],
  ['null that is no value of an enum', '{"id":"x","list":[1],"word":null}'],
  ['too long a string', '{"id":"123456","list":[1]}'],
  ['one with an escape', '{"id":"\\u0041bcdef","list":[1]}'],
  ['one that only has too many UTF-16 units', '{"id":"\u{1f680}\u{1f680}\u{1f680}","list":[1]}'],
  ['what a pattern refuses', '{"id":" ","list":[1]}'],
  ['a fraction for an integer', '{"id":"x","list":[1],"count":1.5}'],
  ['one for an integer of any size', '{"id":"x","list":[1],"whole":1.5}'],
  ['too large a number', '{"id":"x","list":[1],"count":10}'],
  ['too few entries', '{"id":"x","list":[]}'],
  ['too many', inList('1,2,3,4,5')],
  ['null in a list', inList('null')],
  ['an integer that a double rounds', inList('9007199254740993')],
  ['NUL', inList('"\\u0000"')],
  ['half of a surrogate pair', inList('"\\ud83d"')],
  ['a list in its place', '[]'],
])('%s is left to the long way', (_, text) => {
  expect(() => void JSON.parse(text)).not.toThrow();
  expect(read(object, text)).toBeUndefined();
});

test.each([
  ...['01', '-', '+1', '.5', '1.', '1.e3', '1e', '1e+', '1.2.3', '--1', '1-', 'NaN', 'Infinity', '0x1', '1_0', '1e999'],
  ...[
    'tru',
    'true1',
    'falsee',
    'nul',
    '"',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"a\nb"',
    '"\0"',
    "'a'",
    '1 2',
    '1,',
    ',1',
    'x,1',
  ],
])('no JSON, or no finite number: %j', (text) => {
  expect(read(object, inList(text))).toBeUndefined();
});

test.each([
  '',
  ' ',
  '{',
  '{"id"',
  '{"id":"x"',
  '{"id":"x",}',
  '{"id":"x","list":[1]}x',
  '{"id":"x","list":[1]',
  '{,}',
  '{"id":"x","list":[1],"isOn":}',
])('cut off or going on: %j', (text) => {
  expect(read(object, text)).toBeUndefined();
});

test.each(['ff', 'c080', 'eda080', '80', 'f4908080', 'e282'])('the bytes %s, which are no UTF-8', (hex) => {
  const [before, after] = inList('"|"').split('|') as [string, string];
  const bytes = Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(after)]);
  expect(read(object, bytes)).toBeUndefined();
});

test('a byte order mark', () => {
  expect(read(object, `\ufeff${inList('1')}`)).toBeUndefined();
});

test('what is cut from a long text would keep it in memory, so that is left, too', () => {
  const padded = (length: number): string => inList('1').padEnd(length);
  expect(read(object, padded(64 * 1_024))).toBeDefined();
  expect(read(object, padded(64 * 1_024 + 1))).toBeUndefined();
});

test.each([
  ['an open object', { type: 'object', additionalProperties: true, properties: { a: { type: 'number' } } }, '{"a":1}'],
  ['an object of nothing that is named', { type: 'object' }, '{}'],
  ['an object that must have what it does not name', { type: 'object', required: ['b'], properties: { a: {} } }, '{}'],
  [
    'a name that is no member of an object',
    { type: 'object', properties: JSON.parse('{"__proto__":{}}') as Record<string, Schema> },
    '{}',
  ],
  ['a list of anything', { type: 'array' }, '[]'],
  ['a choice of other types', { oneOf: [{ type: 'array', items: { type: 'number' } }, { type: 'number' }] }, '1'],
])('%s is not gone into', (_, schema, text) => {
  expect(read(schema, text)).toBeUndefined();
  const around = { type: 'object', properties: { before: { type: 'number' }, inner: schema } };
  expect(read(around, '{"before":1}')).toEqual({ before: 1 });
  expect(read(around, `{"before":1,"inner":${text}}`)).toBeUndefined();
});

test('a keyword of ours holds as any other', () => {
  const own = new Ajv({ strict: false });
  own.addKeyword({ keyword: 'x-odd', type: 'object', validate: (_: unknown, { a }: { a: number }) => a % 2 === 1 });
  const one = compileOnePass(own, { type: 'object', properties: { a: { type: 'number' } }, 'x-odd': true });
  expect([one(Buffer.from('{"a":1}')), one(Buffer.from('{"a":2}'))]).toEqual([{ a: 1 }, undefined]);
});

describe('a string of which the bytes tell enough', () => {
  test('one of some words', () => {
    const schema = { type: 'string', enum: ['custom', 'system'] };
    expect([read(schema, '"custom"'), read(schema, ' "system"')]).toEqual(['custom', 'system']);
    for (const other of ['"other"', '"customs"', '"custo', '"\\u0063ustom"', '1', 'null'])
      expect(read(schema, other)).toBeUndefined();
  });

  test('one of words that JSON may write in several ways', () => {
    const schema = { type: 'string', enum: ['é', 'a/b'] };
    expect([read(schema, '"\\u00e9"'), read(schema, '"a\\/b"'), read(schema, '"c"')]).toEqual(['é', 'a/b', undefined]);
  });

  test('one of a form, which Ajv knows under the same name', () => {
    const digits = /^\d+$/;
    const own = new Ajv({ strict: false, formats: { digits } });
    const seen: string[] = [];
    const forms = {
      digits: (bytes: Buffer, start: number, end: number) => {
        seen.push(bytes.toString('utf8', start, end));
        return digits.test(seen.at(-1)!);
      },
    };
    const one = compileOnePass(own, { type: 'string', format: 'digits', maxLength: 3 }, forms);
    const texts = ['"12"', '"1x"', '"1234"', '"\\u0031"', '""'];
    expect(texts.map((text) => one(Buffer.from(text)))).toEqual(['12', undefined, undefined, undefined, undefined]);
    expect(seen).toEqual(['12', '1x', '\\u0031', '']);
    const more = compileOnePass(own, { type: 'string', format: 'digits', pattern: '^1' }, forms);
    expect([more(Buffer.from('"12"')), more(Buffer.from('"2"'))]).toEqual(['12', undefined]);
  });

  test.each([
    { pattern: '[^ ]', good: [' a', '\\u00e9', 'a'], bad: ['', ' ', '  '] },
    { pattern: '^[^ ]+$', good: ['a'], bad: ['a b', ' '] },
    { pattern: '[^ a]', good: ['b', 'ab'], bad: ['a', 'aa'] },
  ])('one of the pattern $pattern', ({ pattern, good, bad }) => {
    const schema = { type: 'string', pattern };
    expect(good.map((text) => read(schema, JSON.stringify(text)))).toEqual(good);
    expect(bad.map((text) => read(schema, JSON.stringify(text)))).toEqual(bad.map(() => undefined));
  });
});
