// Reads JSON bodies: refuses what JSON.parse refuses, and what JSON.parse would silently change.
import { withExactIntegers } from '../../src/platform/json/exactIntegers.ts';
import { readJson } from '../../src/platform/json/jsonText.ts';

const pathsOf = (text: string) => readJson(Buffer.from(text)).fields?.map(({ path }) => path);

function repeatedIn(text: string): string[] {
  const reading = readJson(Buffer.from(text));
  if (reading.fields) throw new Error(JSON.stringify(reading.fields));
  return reading.repeatedKeys().map(({ path }) => path);
}

/** The value of a readable body. */
function valueOf(text: string): object {
  const reading = readJson(Buffer.from(text));
  if (reading.fields) throw new Error(JSON.stringify(reading.fields));
  return reading.value;
}

const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;

describe('a body that is an object', () => {
  test.each(['{}', ' \t\r\n{ "a" : [ 1 , "two" , { "b" : null } ] } ', '{"é":"\\u00e9\\ud83d\\ude80","":{"":""}}'])(
    '%s is read as JSON.parse reads it',
    (text) => {
      expect(valueOf(text)).toEqual(JSON.parse(text));
    },
  );

  test('may hold brackets, braces, colons and escaped quotes inside strings', () => {
    const value = { 'a:{[': '}]:"\\', b: [':', '\\"{', '\\\\'], 'c\\': '{'.repeat(100) };
    expect(valueOf(JSON.stringify(value))).toEqual(value);
  });

  test.each(['\\"{[:', '"', '\\', '\\\\"', '":{"', '\ud83d\ude80"', '}]', '12345678901234567890'])(
    'may hold the string %j as a key and as a value',
    (text) => {
      const value = { [text]: [text, { b: text }], c: text };
      expect(valueOf(JSON.stringify(value))).toEqual(value);
      expect(valueOf(JSON.stringify({ a: text }))).toEqual({ a: text });
    },
  );

  test('may hold one name in several objects, also where one is inside the other', () => {
    const value = { a: { a: [{ a: 1 }, { a: 2 }] }, b: { a: 3 } };
    expect(valueOf(JSON.stringify(value))).toEqual(value);
  });

  test('keeps a key named __proto__ as a key, and leaves every other object alone', () => {
    const value = valueOf('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a body that cannot be read has one field, with path ""', () => {
  test.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['white space', Buffer.from(' \n')],
    ['cut off', Buffer.from('{"a":[1')],
    ['cut off inside an escape', Buffer.from('{"a":"\\')],
    ['followed by more', Buffer.from('{} {}')],
    ['with a trailing comma', Buffer.from('{"a":1,}')],
    ['with a comment', Buffer.from('{/* */}')],
    ['with a raw NUL in a string', Buffer.from('{"a":"\0"}')],
    ['with NaN', Buffer.from('{"a":NaN}')],
    ['an array', Buffer.from('[{}]')],
    ['null', Buffer.from('null')],
    ['a number', Buffer.from('7')],
    ['a string', Buffer.from('"{}"')],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['after a byte order mark', Buffer.from('\ufeff{}')],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('%s', (_, bytes) => {
    expect(readJson(bytes)).toEqual({ fields: [{ path: '', message: expect.any(String) as string }] });
  });
});

describe('the depth of nesting', () => {
  test.each([
    ['objects', '{"a":', '}'],
    ['arrays in an object', '[', ']'],
  ])('of %s is 32 at most, the body itself being 1', (kind, open, close) => {
    const wrap = (text: string) => (kind === 'objects' ? text : `{"a":${text}}`);
    const levels = kind === 'objects' ? 32 : 31;
    expect(pathsOf(wrap(nested(open, close, levels)))).toBeUndefined();
    expect(pathsOf(wrap(nested(open, close, levels + 1)))).toEqual(['']);
  });

  test('is the depth at one place, not the number of brackets', () => {
    expect(pathsOf(`{"a":[${'[],{},'.repeat(1_000)}0]}`)).toBeUndefined();
  });

  test('of a million levels is refused without a stack overflow', () => {
    expect(pathsOf('['.repeat(1_000_000))).toEqual(['']);
    expect(pathsOf('{"a":'.repeat(1_000_000))).toEqual(['']);
  });
});

describe('a key that stands twice in one object', () => {
  test.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":1,"a":1}', ['a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a":[{"b":1},{"b":1,"c":2,"b":3}]}', ['a[1].b']],
    ['{"x":{"a.b":1,"a.b":1},"y":1,"y":1}', ['x["a.b"]', 'y']],
    ['{"a":{"a":1,"a":2},"a":3}', ['a.a', 'a']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"":1,"":2}', ['[""]']],
  ])('%s is named by its path', (text, paths) => {
    expect(repeatedIn(text)).toEqual(paths);
  });

  test('is listed for at most 100 paths', () => {
    const members = Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":2`).join();
    expect(repeatedIn(`{${members}}`)).toHaveLength(100);
  });
});

describe('integers beyond 2^53', () => {
  const schema = { type: 'object', additionalProperties: true };
  function exact(text: string): unknown {
    const bytes = Buffer.from(text);
    const reading = readJson(bytes);
    if (reading.fields) throw new Error(JSON.stringify(reading.fields));
    return withExactIntegers({ ...reading, bytes, schema });
  }

  test('are put back as they were sent, wherever they stand', () => {
    const text =
      '{"a":9223372036854775807,"b":[1,-9223372036854775808,{"c":9007199254740993}],"__proto__":18446744073709551615}';
    const value = exact(text) as Record<string, unknown>;
    expect(value['a']).toBe(9223372036854775807n);
    expect(value['b']).toEqual([1, -9223372036854775808n, { c: 9007199254740993n }]);
    expect(Object.entries(value).at(-1)).toEqual(['__proto__', 18446744073709551615n]);
  });

  test.each([
    '9007199254740991',
    '-9007199254740991',
    '1000000000000000',
    '1e300',
    '0.12345678901234567',
    '1789000000.123456789012',
  ])('are not made of %s, which a double holds or which is no integer', (number) => {
    expect(exact(`{"a":${number}}`)).toEqual({ a: Number(number) });
  });

  test('are not made of digits inside a string', () => {
    expect(exact('{"a":"9223372036854775807","9223372036854775807":1}')).toEqual({
      a: '9223372036854775807',
      '9223372036854775807': 1,
    });
  });
});

describe('a body that is small when it is compressed', () => {
  test('may hold a number of eight million digits: its pattern exhausted the stack', () => {
    const digits = '7'.repeat(8_000_000);
    expect(Object.keys(valueOf(`{"a":${digits},"b":-${digits},"c":0.${digits}}`))).toEqual(['a', 'b', 'c']);
  });

  test.each(['{},', '[],', '1,', '{"a":1},', '[[[[]]]],'])('of %s is refused before it is parsed', (unit) => {
    const many = `{"a":[${unit.repeat(100)}1]}`;
    const read = (maxValues: number) => readJson(Buffer.from(many), { maxValues });
    const values = many.replace(/[^[{,]/g, '').length;
    expect(read(values).fields).toBeUndefined();
    expect(read(values - 1)).toEqual({ fields: [], tooManyValues: true });
  });

  test('has no value more by the text inside of a string', () => {
    expect(readJson(Buffer.from('{"{[,":"{[,\\\\","b":",,,"}'), { maxValues: 2 }).fields).toBeUndefined();
  });
});
