// Hand-written rows, as lines of COPY and as arrays: PostgreSQL reads back the written values, and a refused COPY has no effect.
import type { PoolClient } from 'pg';
import { byteArray, plainArray, textArray } from '../../src/platform/database/arrayLiteral.ts';
import { copyFrom } from '../../src/platform/database/copyFrom.ts';
import { timestampText } from '../../src/sessions/timestampText.ts';
import { copyText } from '../bench/ingest/targets/eventLines.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let client: PoolClient;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  client = await database.pool.connect();
  await client.query('CREATE TABLE texts (at int, text text)');
});
afterAll(async () => {
  client.release();
  await database.drop();
});
beforeEach(() => client.query('TRUNCATE texts'));

const texts = [
  ...['', ' ', 'plain', 'NULL', 'null', '\\N', '\\.', '\\', '"', '{', '}', ',', "'", '$1'],
  ...['a\tb', 'a\nb', 'a\r\nb', '\b\f\v', '\\t', '\\\\x41', '{"a":"\\"\\n"}', 'ключ 🔑 \u2028', '\u0001\u007f\u0085'],
];

async function stored(): Promise<(string | null)[]> {
  const { rows } = await client.query<{ text: string | null }>('SELECT text FROM texts ORDER BY at');
  return rows.map(({ text }) => text);
}

test('texts come back from COPY as they were', async () => {
  const lines = texts.map((text, at) => `${at}\t${copyText(text)}\n`);
  await copyFrom(client, 'COPY texts FROM STDIN', lines.join(''));
  expect(await stored()).toEqual(texts);
});

test('texts, numbers and bytes come back from arrays as they were', async () => {
  const withNull = [...texts, null];
  const { rows } = await client.query<{ texts: unknown; numbers: unknown; bytes: unknown }>(
    'SELECT $1::text[] AS texts, $2::float8[] AS numbers, $3::bytea[] AS bytes',
    [textArray(withNull), plainArray([1, -0.5, 1e300, null]), byteArray([Buffer.of(0, 255), Buffer.alloc(0)])],
  );
  expect(rows[0]).toEqual({
    texts: withNull,
    numbers: [1, -0.5, 1e300, null],
    bytes: [Buffer.of(0, 255), Buffer.alloc(0)],
  });
  expect((await client.query<{ none: unknown }>('SELECT $1::text[] AS none', [textArray([])])).rows[0]!.none).toEqual(
    [],
  );
});

test.each([
  ['a line that cannot be read', { table: 'texts', line: 'one\ttext\n', code: '22P02' }],
  ['a table that is not there', { table: 'nowhere', line: '1\ttext\n', code: '42P01' }],
])('%s is refused with its code, and the connection goes on', async (_, { table, line, code }) => {
  await expect(copyFrom(client, `COPY ${table} FROM STDIN`, line)).rejects.toMatchObject({ code });
  await copyFrom(client, 'COPY texts FROM STDIN', '1\tafter\n');
  expect(await stored()).toEqual(['after']);
});

test('a COPY that outlasts the time limit is rejected', async () => {
  const other = await database.pool.connect();
  await other.query('BEGIN; LOCK TABLE texts');
  await client.query("SET lock_timeout = '100ms'");
  await expect(copyFrom(client, 'COPY texts FROM STDIN', '1\ttext\n')).rejects.toMatchObject({ code: '55P03' });
  await other.query('ROLLBACK');
  other.release();
});

test('a COPY on a connection that has gone is rejected', async () => {
  const other = await database.pool.connect();
  const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const gone = new Promise((resolve) => other.once('end', resolve));
  other.on('error', () => undefined);
  await client.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
  await gone;
  await expect(copyFrom(other, 'COPY texts FROM STDIN', '1\ttext\n')).rejects.toThrow(/connection|queryable/i);
  other.release(true);
});

test('Unix seconds become the instant that to_timestamp makes of them', async () => {
  const seconds = [
    ...[0, 0.5, 86_399.999_999, 86_399.999_999_9, 951_782_400, 1_709_208_000, 253_402_300_799, 253_402_300_798.5],
    ...Array.from({ length: 500 }, (_, index) => 1_789_000_000 + index * 86_123.456_789),
  ];
  const { rows } = await client.query<{ differ: number }>(
    `SELECT count(*)::integer AS differ FROM unnest($1::float8[], $2::text[]) AS t (seconds, text)
    WHERE to_timestamp(seconds) <> text::timestamptz`,
    [plainArray(seconds), textArray(seconds.map(timestampText))],
  );
  expect(rows[0]!.differ).toBe(0);
});
