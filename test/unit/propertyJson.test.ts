// Named values as JSON, in the two forms in which they are stored: a text of its own, and bytes in the rows of COPY.
import { BinaryRows } from '../../src/platform/database/binaryRows.ts';
import { propertyJson, type Property } from '../../src/sessions/propertyJson.ts';

const property = (name: string, value: Property['value']): Property => ({ name, value });

/** The JSON in a column that is written alone: behind the head (19 bytes), the column's size (4) and the version (1). */
function inRow(properties: Property[]): string {
  const rows = new BinaryRows(1);
  rows.jsonbObject(properties);
  const bytes = rows.end();
  const size = bytes.readInt32BE(19);
  expect(bytes[23]).toBe(1);
  expect(bytes.length).toBe(23 + size + 2);
  return bytes.toString('utf8', 24, 23 + size);
}

describe.each([
  ['as a text', propertyJson],
  ['in a row', inRow],
])('%s', (_, write) => {
  test('of two with one name the last is written last, and no name is special', () => {
    const written = write([property('n', 1), property('__proto__', 'p'), property('n', 2), property('a"b', '\u2028')]);
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
      const written = write([property(`n${text}`, `v${text}`), property('', text)]);
      expect(JSON.parse(written)).toEqual({ [`n${text}`]: `v${text}`, '': text });
      // Not a lone half of a character, which no UTF-8 has.
      expect(written.isWellFormed()).toBe(true);
    }
  });

  test('numbers and booleans, a 64-bit integer digit by digit', () => {
    const big = 9223372036854775807n;
    const written = write([
      property('big', big),
      property('float', 1e21),
      property('small', -0.5),
      property('no', false),
    ]);
    expect(written).toBe('{"big":9223372036854775807,"float":1e+21,"small":-0.5,"no":false}');
  });

  test('none', () => {
    expect(write([])).toBe('{}');
  });
});
