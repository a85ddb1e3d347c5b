// The cursor of a list of purchases: it names a place to the microsecond, and nothing else is taken for one.
import { inputRules } from '../../src/platform/inputRules.ts';
import { pageOf, readCursor, writeCursor } from '../../src/purchases/pageCursor.ts';

const one = { list: 'entitlements', instants: 1 } as const;
const two = { list: 'storeTransactions', instants: 2 } as const;

function read(of: typeof one | typeof two, after: string) {
  const rules = inputRules();
  const place = readCursor(rules, of, after);
  if (place) rules.assert();
  else expect(() => rules.assert()).toThrow();
  return place;
}

test.each([
  ['0 id', ['1970-01-01T00:00:00.000000Z'], 'id'],
  ['7 id', ['1970-01-01T00:00:00.000007Z'], 'id'],
  ['1789000000123456 id', ['2026-09-10T00:26:40.123456Z'], 'id'],
  ['253402300799999999 id', ['9999-12-31T23:59:59.999999Z'], 'id'],
  ['0  id with spaces ', ['1970-01-01T00:00:00.000000Z'], ' id with spaces '],
  ['0 é𝒳', ['1970-01-01T00:00:00.000000Z'], 'é𝒳'],
])('the position %j comes back', (position, instants, id) => {
  expect(read(one, writeCursor(one, position))).toEqual({ instants, id });
});

test('a transaction without a date comes back', () => {
  const instants = ['infinity', '1970-01-01T00:00:00.000001Z'];
  expect(read(two, writeCursor(two, 'infinity 1 t'))).toEqual({ instants, id: 't' });
});

const encoded = (text: string) => Buffer.from(text).toString('base64url');
test.each([
  ['', 'of no text'],
  ['=', 'of no base64url'],
  [`${writeCursor(one, '0 id')}=`, 'with padding'],
  [`${writeCursor(one, '0 id')}\n`, 'with a line break'],
  [encoded('t 0 id'), 'of another list'],
  [encoded('e 0 '), 'without an id'],
  [encoded('e 0'), 'without an id'],
  [encoded('e -1 id'), 'before 1970'],
  [encoded('e 007 id'), 'with another spelling of a number'],
  [encoded('e 1e3 id'), 'with another spelling of a number'],
  [encoded('e 253402300800000000 id'), 'after the year 9999'],
  [encoded('e NaN id'), 'without a number'],
  [encoded('e 0 \0'), 'that PostgreSQL cannot store'],
  [Buffer.from([0x65, 0x20, 0x30, 0x20, 0xff]).toString('base64url'), 'that is no UTF-8'],
  [encoded(`e 0 ${'x'.repeat(2_000)}`), 'that is too long'],
])('%j is refused, a cursor %s', (after) => expect(read(one, after)).toBeNull());

test('an absent cursor is the first page', () => {
  expect([null, undefined].map((after) => readCursor(inputRules(), one, after))).toEqual([null, null]);
});

test('a page has the cursor of its last row, and says whether there is one more', () => {
  const rows = ['0 a', '1 b', '2 c'].map((position) => ({ position }));
  const { nodes, endCursor, hasMore } = pageOf(one, rows, 2);
  expect([nodes, endCursor, hasMore]).toEqual([rows.slice(0, 2), writeCursor(one, '1 b'), true]);
  expect(pageOf(one, rows, 3).hasMore).toBe(false);
  expect(pageOf(one, [], 3)).toEqual({ nodes: [], endCursor: null, hasMore: false });
});
