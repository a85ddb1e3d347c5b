// Named values of the wire as the text of one JSON object, and read back where the service looks one up.
import fc from 'fast-check';
import { BinaryRows } from '../../src/platform/database/binaryRows.ts';
import { propertyJson, propertyMap, PropertyWriter, type Property } from '../../src/platform/json/propertyJson.ts';

const property = (name: string, value: Property['value']): Property => ({ name, value });

test('of two with one name the last is written last, and no name is special', () => {
  const written = propertyJson([
    property('n', 1),
    property('__proto__', 'p'),
    property('n', 2),
    property('a"b', '\u2028'),
  ]);
  expect(written).toBe('{"n":1,"__proto__":"p","n":2,"a\\"b":"\u2028"}');
});

test('any text, as a name and as a value, can be read back', () => {
  const controls = Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(code));
  for (const text of [
    ...controls,
    '',
    '"',
    '\\',
    '\ud800',
    '\udfff',
    '\u{1f680}',
    '\u007f',
    '\u0080',
    'é'.repeat(300),
  ]) {
    const written = propertyJson([property(`n${text}`, `v${text}`), property('', text)]);
    expect(JSON.parse(written)).toEqual({ [`n${text}`]: `v${text}`, '': text });
    // A lone surrogate, which UTF-8 cannot express, must not be written.
    expect(written.isWellFormed()).toBe(true);
  }
});

test('numbers and booleans, a 64-bit integer digit by digit', () => {
  const big = 9223372036854775807n;
  const written = propertyJson([
    property('big', big),
    property('float', 1e21),
    property('small', -0.5),
    property('no', false),
  ]);
  expect(written).toBe('{"big":9223372036854775807,"float":1e+21,"small":-0.5,"no":false}');
});

test('none', () => {
  expect(propertyJson([])).toBe('{}');
});

test('a look-up finds the last of one name, and no name is special', () => {
  const values = propertyMap([
    property('n', 'first'),
    property('__proto__', 'p'),
    property('n', 'last'),
    property('b', true),
  ]);
  expect([...values]).toEqual([
    ['n', 'last'],
    ['__proto__', 'p'],
    ['b', true],
  ]);
  expect(propertyMap([]).get('constructor')).toBeUndefined();
});

test('objects of one writer do not touch each other, and a row of COPY holds the same bytes', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.boolean(), fc.bigInt());
  const lists = fc.array(fc.record({ name: fc.string({ unit: 'binary' }), value }), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(lists, { maxLength: 5 }), fc.nat(100), (all, room) => {
      const writer = new PropertyWriter(room);
      const written = all.map((list) => writer.write(list));
      expect(written.map(String)).toEqual(all.map(propertyJson));
      for (const object of written) {
        const rows = new BinaryRows(16);
        rows.row(1);
        rows.jsonb(object);
        const bytes = rows.end();
        // Behind the head of 19 bytes: the number of columns, the size, and the version of jsonb's format.
        const json = bytes.subarray(19 + 2 + 4 + 1, -2);
        expect(json.toString()).toBe(object.toString());
        expect(bytes.readInt32BE(19 + 2)).toBe(object.length + 1);
      }
    }),
  );
});
