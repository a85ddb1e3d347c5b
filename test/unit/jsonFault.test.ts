// The offset at which bytes stop being JSON: the first byte with which no JSON text can go on.
import fc from 'fast-check';
import { readJson } from '../../src/platform/json/jsonText.ts';
import { offsetOfFault } from '../../src/platform/json/jsonFault.ts';

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
  const damaged = fc.tuple(fc.json(), fc.nat(), fc.option(fc.nat(255), { nil: undefined })).map(([text, at, byte]) => {
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
