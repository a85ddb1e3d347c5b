// The length of JSON before it is written: close to the real length, and found without reading all of a too long value.
import { jest } from '@jest/globals';
import { jsonBytes } from '../../src/platform/json/jsonBytes.ts';
import { RawJson, stringifyWithRawJson } from '../../src/platform/json/rawJson.ts';

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
  const list = Array.from({ length: 1_000 }, () => Object.defineProperty({}, 'text', { get: read, enumerable: true }));
  expect(jsonBytes(list, 10_000)).toBeGreaterThan(10_000);
  expect(read.mock.calls.length).toBeLessThan(12);
});

test('a row may hold dates and bytes', () => {
  expect(jsonBytes({ at: new Date(), secret: Buffer.alloc(50), logo: null })).toBeGreaterThan(50);
});
