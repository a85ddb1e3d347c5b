// Reads JSON bodies: refuses what JSON.parse refuses, and what JSON.parse would silently change.
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { objectTexts, type Schema, unstorableText, withExactIntegers } from '../../src/platform/json/schema.ts';
import { fieldPath, offsetOfFault, readJson } from '../../src/platform/json/readJson.ts';
import { jsonBytes, RawJson, stringifyWithRawJson, writtenBytes } from '../../src/platform/json/jsonBytes.ts';

describe('jsonText', () => {
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
});

// The offset at which bytes stop being JSON: the first byte with which no JSON text can go on.
describe('jsonFault', () => {
  /** The offset of the sign ▲ in the text, which is taken out. Every byte before it can be the beginning of a JSON text. */
  test.each([
    ['{"a":▲NaN}'],
    ['{"a":▲Infinity}'],
    ['{"a":-▲Infinity}'],
    ['{"é🚀":[1,▲NaN]}'],
    ['{"a":n▲an}'],
    ['{"a":tru▲}'],
    ['{"a":1,▲}'],
    ['{"a":1▲ "b":2}'.replace('▲ ', ' ▲')],
    ['{▲a:1}'],
    ["{▲'a':1}"],
    ['{"a"▲=1}'],
    ['{"a":[1,▲]}'],
    ['{"a":[1▲}'],
    ['{"a":0▲1}'],
    ['{"a":1.▲}'],
    ['{"a":▲.5}'],
    ['{"a":▲+1}'],
    ['{"a":1e▲}'],
    ['{"a":1e+▲}'],
    ['{"a":0▲x10}'],
    ['{"a":"\\▲x"}'],
    ['{"a":"\\u12▲g4"}'],
    ['{"a":"b▲\nc"}'],
    ['{"a":"▲\0"}'],
    ['{▲/* */}'],
    ['{"a":1}▲x'],
    ['{} ▲{}'],
    ['▲\ufeff{}'],
    ['{"a":▲undefined}'],
    ['▲'],
    [' \n▲'],
    ['{"a":[1▲'],
    ['{"a":"\\▲'],
    ['{"user":▲'],
    ['▲]'],
  ])('%j', (marked) => {
    const bytes = Buffer.from(marked.replace('▲', ''));
    expect(() => void JSON.parse(bytes.toString())).toThrow();
    expect(offsetOfFault(bytes)).toBe(Buffer.from(marked.slice(0, marked.indexOf('▲'))).length);
  });

  test.each([
    ['ff', 0],
    ['c080', 0],
    ['80', 0],
    ['eda080', 1],
    ['e28228', 2],
    ['f4908080', 1],
    ['f09f9a', 3],
    ['f8888080', 0],
  ])('the bytes %s are no UTF-8 from their byte %d on', (hex, at) => {
    const bytes = Buffer.concat([Buffer.from('{"é":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
    expect(offsetOfFault(bytes)).toBe(7 + at);
  });

  test('a million levels overflow no stack', () => {
    expect(offsetOfFault(Buffer.from('['.repeat(1_000_000)))).toBe(1_000_000);
    expect(offsetOfFault(Buffer.from(`${'{"a":'.repeat(1_000_000)}x`))).toBe(5_000_000);
  });

  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  function isJson(bytes: Buffer): boolean {
    try {
      return JSON.parse(utf8.decode(bytes)) !== undefined;
    } catch {
      return false;
    }
  }

  test('JSON has no fault, and damaged JSON has one where JSON.parse finds one', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.option(fc.nat(255), { nil: undefined }))
      .map(([text, at, byte]) => {
        const bytes = Buffer.from(text);
        if (byte === undefined) return bytes.subarray(0, at % (bytes.length + 1));
        bytes[at % bytes.length] = byte;
        return bytes;
      });
    fc.assert(
      fc.property(damaged, (bytes) => {
        const at = offsetOfFault(bytes);
        // A number alone may go on: JSON that ends is no fault, and its length is the offset.
        if (isJson(bytes)) expect(at).toBe(bytes.length);
        else {
          // Up to the offset nothing is wrong yet; the byte there makes it wrong, whatever follows.
          expect(offsetOfFault(bytes.subarray(0, at))).toBe(at);
          if (at < bytes.length) expect(offsetOfFault(bytes.subarray(0, at + 1))).toBe(at);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  test('what is read before the fault does not matter to it, and the byte at the fault does', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('x', '\u0001', ']', '}', ':', 'NaN'), (text, behind) => {
        // Behind a list nothing but white space may follow.
        expect(offsetOfFault(Buffer.from(`[${text}]${behind}`))).toBe(Buffer.byteLength(text) + 2);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the message of a body names it', () => {
    const message = 'is not valid JSON in UTF-8; reading stopped at byte offset 8';
    expect(readJson(Buffer.from('{"é":[ NaN]}'))).toEqual({ fields: [{ path: '', message }] });
  });
});

// The length of JSON before it is written: close to the real length, and found without reading all of a too long value.
describe('jsonBytes', () => {
  test.each([
    ['texts', { a: 'x'.repeat(1_000), b: ['é'.repeat(1_000), '\n"'.repeat(1_000)] }],
    ['numbers', [...Array.from({ length: 1_000 }, (_, n) => n), 5e-324, -1.5]],
    ['names', Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`name${n}`, null]))],
    ['JSON text', { payload: new RawJson(`[${'1.10,'.repeat(1_000)}1]`) }],
    ['what GraphQL makes', Object.assign(Object.create(null), { id: 'x'.repeat(100), flags: Array(500).fill(true) })],
  ])('%s are as long as they are written, but for a tenth', (_, value) => {
    const written = Buffer.byteLength(stringifyWithRawJson(value));
    expect(jsonBytes(value)).toBeGreaterThan(written * 0.9);
    expect(jsonBytes(value)).toBeLessThan(written * 1.1 + 10);
  });

  test('counting ends soon above what is asked about', () => {
    const read = jest.fn(() => 'x'.repeat(1_000));
    const list = Array.from({ length: 1_000 }, () =>
      Object.defineProperty({}, 'text', { get: read, enumerable: true }),
    );
    expect(jsonBytes(list, 10_000)).toBeGreaterThan(10_000);
    expect(read.mock.calls.length).toBeLessThan(12);
  });

  test('a row may hold dates and bytes', () => {
    expect(jsonBytes({ at: new Date(), secret: Buffer.alloc(50), logo: null })).toBeGreaterThan(50);
  });
});

// The written form of a path in a body.
describe('fieldPath', () => {
  test.each<[(string | number)[], string]>([
    [[], ''],
    [['sessions', 0, 'events', 1, 'name'], 'sessions[0].events[1].name'],
    [['device', 'properties', 'platform'], 'device.properties.platform'],
    [['_a$9', '$'], '_a$9.$'],
    [['custom', 'a.b'], 'custom["a.b"]'],
    [['custom', 'a.b', 'c'], 'custom["a.b"].c'],
    [['with space'], '["with space"]'],
    [['0'], '["0"]'],
    [['9lives'], '["9lives"]'],
    [[''], '[""]'],
    [['é'], '["é"]'],
    [['say "hi"\\\n'], '["say \\"hi\\"\\\\\\n"]'],
    [['\0'], '["\\u0000"]'],
    [['custom', 'a\ud800'], 'custom["a\\ud800"]'],
  ])('%j is written %s', (segments, path) => {
    expect(fieldPath(segments)).toBe(path);
  });

  test('a path is cut at 1,024 characters', () => {
    const path = fieldPath(['a', 'b'.repeat(2_000)]);
    expect(path).toBe(`a.${'b'.repeat(1_022)}`);
  });

  test('characters are code points: of a surrogate pair no half is left', () => {
    const keys = ['🚀'.repeat(2_000), `b${'🚀'.repeat(2_000)}`, `${'c'.repeat(1_018)}🚀d`, `${'c'.repeat(1_019)}🚀d`];
    for (const key of keys) {
      const path = fieldPath(['a', key]);
      expect(path.isWellFormed()).toBe(true);
      expect(path).toBe([...`a["${key}"]`].slice(0, 1_024).join(''));
    }
  });
});

// Objects cut out of a JSON text are the bytes that were sent, whatever is around them.
describe('objectTexts', () => {
  const paths = ['a.b', 'c'];
  const cut = (text: string) => Object.fromEntries(objectTexts(text, paths));

  test.each<[string, Record<string, string>]>([
    ['{}', {}],
    [' \t\r\n{ "c" : { } } \n', { c: '{ }' }],
    ['{"c":{"x":[{"c":{}}],"y":"}{\\"}"},"z":1}', { c: '{"x":[{"c":{}}],"y":"}{\\"}"}' }],
    ['{"a":{"b":{"n":1.0e2}},"c":{"d":"\\\\"}}', { 'a.b': '{"n":1.0e2}', c: '{"d":"\\\\"}' }],
    ['{"a" : {"x":[1,[2,{"b":{}}]] , "b" :{"x":1} , "y":true} , "c":null}', { 'a.b': '{"x":1}' }],
    ['{"\\u0061":{"\\u0062":{"x":1}}}', { 'a.b': '{"x":1}' }],
  ])('%s', (text, expected) => {
    expect(cut(text)).toEqual(expected);
  });

  test.each(['true', ' 7 ', '"a"', '""', '[]', '["c"]', '[{"c":{}}]', '[0,0]'])(
    '%s, which is no object, has none',
    (text) => {
      expect(cut(text)).toEqual({});
    },
  );

  test('only an object at the path itself counts, and the last of a repeated key', () => {
    expect(cut('{"x":{"c":{"no":1}},"y":[{"c":{}}],"a":[{"b":{}}],"c":"{}"}')).toEqual({});
    expect(cut('{"a.b":{"no":1},"a":{"b.c":{},"b":{"yes":1}}}')).toEqual({ 'a.b': '{"yes":1}' });
    expect(cut('{"c":{"x":1},"c":{"x":2}}')).toEqual({ c: '{"x":2}' });
  });

  test('what JSON.stringify writes of any value is cut to the byte', () => {
    const values = [{ x: '"\\{}[],:' }, { y: [[], {}, [{ z: null }], -1.5e-7, '\u2028'] }, { '': { '}': '{' } }];
    for (const value of values)
      for (const space of [0, 2, '\t']) {
        const text = JSON.stringify(
          { before: [values, 'c'], a: { x: value, b: value }, c: value, after: value },
          null,
          space,
        );
        const found = objectTexts(text, paths);
        for (const path of paths) expect(JSON.parse(found.get(path)!)).toEqual(value);
      }
  });
});

// JSON texts that the service sends exactly as it received them.
describe('rawJson', () => {
  test('writes the texts at their places and everything else as JSON.stringify does', () => {
    const value = { a: [new RawJson('1.10'), 'x"y', new RawJson('{"$&":12345678901234567890}')], b: { c: null } };
    expect(stringifyWithRawJson(value)).toBe('{"a":[1.10,"x\\"y",{"$&":12345678901234567890}],"b":{"c":null}}');
    expect(stringifyWithRawJson({ data: { d: '0:0' } })).toBe('{"data":{"d":"0:0"}}');
  });

  test('a value that cannot be written leaves nothing behind for the next one', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(() => stringifyWithRawJson(circle)).toThrow('circular');
    expect(JSON.stringify(new RawJson('1.10'))).toBe('{"text":"1.10"}');
  });
});

// Text that PostgreSQL refuses or changes: the check covers only the fields that are stored.
describe('unstorableText', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      list: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' }, value: { oneOf: [] } } },
      },
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
});

// The length of JSON as PostgreSQL writes it: the figures are those of `length(x::jsonb::text)`.
describe('writtenBytes', () => {
  test.each([
    [5e-324, 326],
    [-5e-324, 327],
    [1e-7, 9],
    [1.5e-7, 10],
    [-1.25e-10, 15],
    [0.000001, 8],
    [0, 1],
    ['5e-324', 8],
    [null, 4],
    [[1e-7, 'é', { a: 1e-7 }], 2 + 9 + 1 + 4 + 1 + 15],
  ])('%j takes %d bytes', (value, bytes) => {
    expect(writtenBytes(value)).toBe(bytes);
  });
});
