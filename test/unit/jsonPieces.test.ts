// Long JSON in pieces: joined, they are what one call would write, and no piece is long.
import { jsonPieces } from '../../src/platform/json/jsonPieces.ts';
import { RawJson, stringifyWithRawJson } from '../../src/platform/json/rawJson.ts';

const long = (length: number) => 'é"\n'.repeat(length / 3);
const items = Array.from({ length: 5_000 }, (_, at) => ({ at, text: long(60), params: new RawJson('[1.10]') }));

test.each([
  ['a leaf', 'x'],
  ['a long text', long(200_000)],
  ['nothing', null],
  ['short lists and objects', { a: [], b: {}, c: [null, undefined], d: undefined }],
  ['a long list', items],
  ['lists in lists', { rows: [{ items }, { items: [] }, { items }], before: 1, '"': [[items]] }],
  ['long items and none', [long(100_000), undefined, new RawJson(`"${'x'.repeat(100_000)}"`), 1, 2]],
  ['what GraphQL makes', Object.assign(Object.create(null) as object, { rows: items, none: undefined, last: null })],
])('%s', (_, value) => {
  expect([...jsonPieces(value)].join('')).toBe(stringifyWithRawJson(value));
});

test('no piece of a long list is long', () => {
  const lengths = [...jsonPieces({ a: items, b: items })].map((piece) => piece.length);
  expect(lengths.length).toBeGreaterThan(10);
  expect(Math.max(...lengths)).toBeLessThan(100_000);
});
