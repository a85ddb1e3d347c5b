// The one-pass reader of plain bodies: it returns the value of JSON.parse, or nothing when it stops.
import { Ajv } from 'ajv';
import { loadPublicContract } from '../../src/http/publicContract.ts';
import { compileOnePass } from '../../src/http/onePass/onePass.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { type Schema, withPrimitiveChoices } from '../../src/platform/json/schema.ts';
import { type Property, propertyJson } from '../../src/sessions/upload.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

describe('onePass', () => {
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
    ...[
      '01',
      '-',
      '+1',
      '.5',
      '1.',
      '1.e3',
      '1e',
      '1e+',
      '1.2.3',
      '--1',
      '1-',
      'NaN',
      'Infinity',
      '0x1',
      '1_0',
      '1e999',
    ],
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
    [
      'an open object',
      { type: 'object', additionalProperties: true, properties: { a: { type: 'number' } } },
      '{"a":1}',
    ],
    ['an object of nothing that is named', { type: 'object' }, '{}'],
    [
      'an object that must have what it does not name',
      { type: 'object', required: ['b'], properties: { a: {} } },
      '{}',
    ],
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
      expect([read(schema, '"\\u00e9"'), read(schema, '"a\\/b"'), read(schema, '"c"')]).toEqual([
        'é',
        'a/b',
        undefined,
      ]);
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
});

// Lists of named values, half of an upload: the objects that are stored of them, whichever way they were read.
describe('onePass.namedValues', () => {
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
    const report = aReport({
      user: { properties },
      sessions: [aSession({ events: [anEvent({ params: properties })] })],
    });
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
});

// A choice among primitive types means the same as a list of types; every other `oneOf` stays as it is.
describe('primitiveChoice', () => {
  const primitive = { oneOf: [{ type: 'string', maxLength: 3 }, { type: 'number' }, { type: 'boolean' }] };

  test('a choice becomes a list of types, wherever it stands', () => {
    const choice = { type: ['string', 'number', 'boolean'], maxLength: 3 };
    expect(withPrimitiveChoices(primitive)).toEqual(choice);
    const nested = { type: 'array', items: { type: 'object', properties: { value: primitive } } };
    expect(withPrimitiveChoices(nested)).toEqual({
      type: 'array',
      items: { type: 'object', properties: { value: choice } },
    });
  });

  test.each([
    [
      'two branches of one type',
      {
        oneOf: [
          { type: 'string', maxLength: 3 },
          { type: 'string', minLength: 5 },
        ],
      },
    ],
    ['an array among the branches', { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] }],
    ['a branch that may be null', { oneOf: [{ type: 'string', nullable: true }, { type: 'number' }] }],
    ['a branch with values of its own', { oneOf: [{ type: 'string', enum: ['a'] }, { type: 'number' }] }],
    ['a type beside the choice', { type: 'string', oneOf: [{ type: 'string' }, { type: 'number' }] }],
  ])('%s is left alone', (_, schema) => {
    expect(withPrimitiveChoices(schema)).toEqual(schema);
  });

  test.each(['', 'abc', 'abcd', 0, 1.5, true, false, null, {}, [], ['a']])('%j gets the same verdict', (value) => {
    const ajv = new Ajv({ strict: false, strictNumbers: true });
    expect(ajv.compile(withPrimitiveChoices(primitive))(value)).toBe(ajv.compile(primitive)(value));
  });
});
