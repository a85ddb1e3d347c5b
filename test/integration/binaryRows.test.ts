// Rows in COPY's binary format: PostgreSQL reads back the written values, and a value that a column cannot hold is never written.
import { randomInt, randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { BinaryRows } from '../../src/platform/database/binaryRows.ts';
import { copyFrom } from '../../src/platform/database/copyFrom.ts';
import { PropertyWriter } from '../../src/platform/json/propertyJson.ts';
import { timestampText } from '../../src/sessions/timestampText.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let client: PoolClient;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  client = await database.pool.connect();
  await client.query("SET timezone = 'UTC'");
});
afterAll(async () => {
  client.release();
  await database.drop();
});

/** The content of a table with one column of this type, as PostgreSQL prints it, after `write` has written each value. */
async function stored<Value>(
  type: string,
  values: Value[],
  write: (rows: BinaryRows, value: Value) => void,
): Promise<(string | null)[]> {
  await client.query(`CREATE TEMPORARY TABLE written (at bigint, value ${type}) ON COMMIT PRESERVE ROWS`);
  // Too small, so that the buffer must grow.
  const rows = new BinaryRows(1);
  values.forEach((value, at) => {
    rows.row(2);
    rows.bigint(at);
    write(rows, value);
  });
  await copyFrom(client, 'COPY written FROM STDIN (FORMAT binary)', rows.end());
  const { rows: read } = await client.query<{ value: string | null }>(
    'SELECT value::text AS value FROM written ORDER BY at',
  );
  await client.query('DROP TABLE written');
  return read.map(({ value }) => value);
}

test('texts of any length and script', async () => {
  const texts = ['', ' ', '\\N', '\t\n\r\\', 'ключ 🔑 \u2028', '\u0001\u007f\u0085', 'é'.repeat(70_000), 'x'.repeat(9)];
  expect(await stored('text', texts, (rows, text) => rows.text(text))).toEqual(texts);
});

test('jsonb, whose integers keep their digits', async () => {
  const lists = [
    [],
    [{ name: 'a', value: 'é🔑\\"\n' }],
    [{ name: 'n', value: 9223372036854775807n }],
    [{ name: 'k'.repeat(30_000), value: true }],
  ];
  const texts = ['{}', '{"a": "é🔑\\\\\\"\\n"}', '{"n": 9223372036854775807}', `{"${'k'.repeat(30_000)}": true}`];
  expect(await stored('jsonb', lists, (rows, list) => rows.jsonb(new PropertyWriter(1).write(list)))).toEqual(texts);
});

test('integers to the end of what a double holds', async () => {
  const { MAX_SAFE_INTEGER: most } = Number;
  const values = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, most, -most];
  const many = Array.from({ length: 300 }, () => Math.round((Math.random() - 0.5) * 2 ** randomInt(2, 53)));
  const all = [...values, ...many].map((value) => value + 0);
  expect(await stored('int8', all, (rows, value) => rows.bigint(value))).toEqual(all.map(String));
});

test('instants from the year 1 to the year 9999, to the microsecond', async () => {
  const [first, last] = [-62_135_596_800, 253_402_300_799];
  const seconds = [
    ...[first, last, last + 0.5, -1, -0.5, 0, 0.000_001, 946_684_800, 946_684_799.999_999, 86_399.999_999_9],
    ...Array.from({ length: 500 }, () => first + Math.random() * (last - first)),
    ...Array.from({ length: 500 }, () => 1_789_000_000 + Math.random() * 1e7),
  ];
  const written = await stored('timestamptz', seconds, (rows, value) => rows.timestamptz(value));
  const { rows } = await client.query<{ text: string }>(
    'SELECT text::timestamptz::text AS text FROM unnest($1::text[]) WITH ORDINALITY AS t (text, at) ORDER BY at',
    [seconds.map(timestampText)],
  );
  expect(written).toEqual(rows.map(({ text }) => text));
});

test('days', async () => {
  const dates = ['0001-01-01', '1969-12-31', '1970-01-01', '2000-01-01', '2026-11-24', '9999-12-31'];
  const days = dates.map((date) => Date.parse(date) / 86_400_000);
  expect(await stored('date', days, (rows, value) => rows.date(value))).toEqual(dates);
});

test('UUIDs, booleans, bytes and nothing', async () => {
  const uuids = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', randomUUID()];
  expect(await stored('uuid', uuids, (rows, uuid) => rows.uuid(uuid))).toEqual(uuids);
  expect(await stored('boolean', [true, false], (rows, value) => rows.boolean(value))).toEqual(['true', 'false']);
  const bytes = [Buffer.of(), Buffer.of(0, 255), Buffer.alloc(5_000, 7)];
  const hex = bytes.map((value) => `\\x${value.toString('hex')}`);
  expect(await stored('bytea', bytes, (rows, value) => rows.bytes(value))).toEqual(hex);
  expect(await stored('text', [null], (rows) => rows.null())).toEqual([null]);
});

test('rows that begin alike', async () => {
  await client.query('CREATE TEMPORARY TABLE alike (owner uuid, name text)');
  const owner = randomUUID();
  const rows = new BinaryRows(1);
  const start = rows.length;
  rows.row(2);
  rows.uuid(owner);
  const end = rows.length;
  rows.text('first');
  for (const name of ['second', 'third']) {
    rows.repeat(start, end);
    rows.text(name);
  }
  await copyFrom(client, 'COPY alike FROM STDIN (FORMAT binary)', rows.end());
  const { rows: read } = await client.query('SELECT owner, name FROM alike');
  expect(read).toEqual(['first', 'second', 'third'].map((name) => ({ owner, name })));
});

test('a tagged UUID is its tag and its bytes; any other text is not written', () => {
  const uuid = randomUUID();
  const rows = new BinaryRows(64);
  const before = rows.length;
  const others = [
    '',
    'an id',
    uuid.toUpperCase().replace(/\d/g, 'A'),
    uuid.slice(1),
    `${uuid}0`,
    uuid.replace('-', '0'),
  ];
  // A character beyond the digit table, and one whose code is 48 modulo 128.
  others.push(uuid.replace(uuid[0]!, '°'), `\u0130${uuid.slice(1)}`);
  for (const other of others) expect([other, rows.taggedUuid(1, other)]).toEqual([other, false]);
  expect(rows.length).toBe(before);
  expect(rows.taggedUuid(1, uuid)).toBe(true);
  expect(rows.end().subarray(before).toString('hex')).toBe(`0000001101${uuid.replaceAll('-', '')}ffff`);
});

test.each<[string, (rows: BinaryRows) => void]>([
  ['a number that is none', (rows) => rows.bigint(NaN)],
  ['a fraction', (rows) => rows.bigint(0.5)],
  ['an integer that a double rounds', (rows) => rows.bigint(2 ** 53)],
  ['an instant that is none', (rows) => rows.timestamptz(NaN)],
  ['an instant without end', (rows) => rows.timestamptz(Infinity)],
  ['a day that is none', (rows) => rows.date(NaN)],
  ['a text that is no UUID', (rows) => rows.uuid('none')],
  ['a UUID in upper case', (rows) => rows.uuid('ABCDEFAB-0000-4000-8000-000000000000')],
])('%s is refused, not written as something else', (_, write) => {
  expect(() => write(new BinaryRows(64))).toThrow(RangeError);
});
