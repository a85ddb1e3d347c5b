// The ways to send statements: rows by COPY, several statements or transactions at once, and the pool of connections.
import { randomInt, randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jest } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import {
  BinaryRows,
  byteArray,
  copyFrom,
  pipelined,
  plainArray,
  type SqlConnection,
  textArray,
} from '../../src/platform/database/sql.ts';
import { adminConnections, openDatabase, type Database } from '../../src/platform/database/database.ts';
import { classifyDatabaseError, isUniqueViolation } from '../../src/platform/database/databaseErrors.ts';
import {
  type AdminTransaction,
  createPipelinedConnection,
  inTransaction,
  type QueuedTransaction,
  type PrismaModels,
  retryConflicts,
} from '../../src/platform/database/transaction.ts';
import { PropertyWriter } from '../../src/sessions/upload.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { inLane } from '../../src/platform/concurrencyLimiter.ts';
import { timestampText } from '../../src/sessions/upload.ts';
import { copyText } from '../bench/ingest/targets/eventLines.ts';
import { newCampaignEditor } from '../support/campaignEdits.ts';
import { holdLock } from '../support/heldLock.ts';
import { passMillis } from '../support/stoppedClock.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { createApplication, createProject } from '../support/workspace.ts';

// Rows in COPY's binary format: PostgreSQL reads back the written values, and a value that a column cannot hold is never written.
describe('binaryRows', () => {
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
    const texts = [
      '',
      ' ',
      '\\N',
      '\t\n\r\\',
      'ключ 🔑 \u2028',
      '\u0001\u007f\u0085',
      'é'.repeat(70_000),
      'x'.repeat(9),
    ];
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
});

// Hand-written rows, as lines of COPY and as arrays: PostgreSQL reads back the written values, and a refused COPY has no effect.
describe('copyFrom', () => {
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
});

// Statements sent together: each gets its own result, a failure undoes and reports all of them, and the connection stays usable.
describe('pipeline', () => {
  let database: TestDatabase;
  let client: PoolClient;
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    client = await database.pool.connect();
    await client.query('CREATE TABLE numbers (number int PRIMARY KEY)');
  });
  afterAll(async () => {
    client.release();
    await database.drop();
  });
  beforeEach(() => client.query('TRUNCATE numbers'));

  const add = (number: number | string, name = 'add_number') => ({
    name,
    text: 'INSERT INTO numbers VALUES ($1) RETURNING number AS added',
    values: [number],
  });
  const stored = async (): Promise<number[]> => {
    const { rows } = await client.query<{ number: number }>('SELECT number FROM numbers ORDER BY number');
    return rows.map(({ number }) => number);
  };
  const copied = 'COPY numbers FROM STDIN';

  test('each statement gets its own rows, a COPY among them', async () => {
    const responses = await pipelined(client, (pipeline) =>
      Promise.all([
        pipeline.query(add(1)),
        copyFrom(pipeline, copied, '2\n3\n'),
        pipeline.query('SELECT count(*)::int AS count FROM numbers'),
        pipeline.query(add(4)),
      ]),
    );
    expect([responses[0].rows, responses[2].rows, responses[3].rows]).toEqual([
      [{ added: 1 }],
      [{ count: 3 }],
      [{ added: 4 }],
    ]);
    expect(await stored()).toEqual([1, 2, 3, 4]);
  });

  test.each([
    ['in a statement', () => add('none'), '22P02'],
    ['in a COPY', () => null, '22P02'],
    ['of a key', () => add(1), '23505'],
  ])('a failure %s is the response of all, and nothing is stored', async (_, failing, code) => {
    const attempt = inTransaction(database.pool, (transaction) =>
      transaction.pipelinedToCommit((pipeline) => {
        const statement = failing();
        const second = statement ? pipeline.query(statement) : copyFrom(pipeline, copied, 'none\n');
        return Promise.all([pipeline.query(add(1)), second, pipeline.query(add(2, `after_${code}`))]);
      }),
    );
    await expect(attempt).rejects.toMatchObject({ code });
    expect(await stored()).toEqual([]);
  });

  test('a statement behind a failure was not prepared, and is when it comes again', async () => {
    const later = add(2, 'prepared_late');
    const send = (first: number | string) =>
      pipelined(client, (pipeline) => Promise.all([pipeline.query(add(first)), pipeline.query(later)]));
    await expect(send('none')).rejects.toMatchObject({ code: '22P02' });
    await send(1);
    expect(await stored()).toEqual([1, 2]);
  });

  test('one that is asked for more when it has been sent refuses, and leaves its connection free', async () => {
    const attempt = inTransaction(database.pool, (transaction) =>
      transaction.pipelined(async (pipeline) => {
        await pipeline.query(add(1));
        await pipeline.query(add(2));
      }),
    );
    await expect(attempt).rejects.toThrow('asked for more after it had been sent');
    expect(await stored()).toEqual([]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount - 1);
  });

  test('a transaction is undone by its roll back and committed at its end, whatever its last pipeline was', async () => {
    await inTransaction(database.pool, async (transaction) => {
      await transaction.pipelined((pipeline) => pipeline.query(add(1)));
      await transaction.rollBack();
      await transaction.pipelined((pipeline) => pipeline.query(add(2)));
      expect(await stored()).toEqual([]);
    });
    await inTransaction(database.pool, (transaction) =>
      transaction.pipelinedToCommit((pipeline) => pipeline.query(add(3))),
    );
    expect(await stored()).toEqual([2, 3]);
  });

  test('what throws between two pipelines leaves nothing behind', async () => {
    const attempt = inTransaction(database.pool, async (transaction) => {
      await transaction.pipelined((pipeline) => pipeline.query(add(1)));
      throw new Error('thought better of it');
    });
    await expect(attempt).rejects.toThrow('thought better of it');
    expect(await stored()).toEqual([]);
  });

  test('a connection that is cut fails all statements', async () => {
    const other = await database.pool.connect();
    other.on('error', () => undefined);
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const attempt = pipelined(other, (pipeline) =>
      Promise.all([pipeline.query('SELECT pg_sleep(20)'), pipeline.query(add(1))]),
    );
    const refused = expect(attempt).rejects.toThrow(/terminat/i);
    await client.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    await refused;
    other.release(true);
    expect(await stored()).toEqual([]);
  });

  test.each([
    ['answered', 1, 'stored'],
    ['refused', 'none', 'invalid input syntax for type integer: "none"'],
  ])('a pipeline that is %s holds no values, whoever still holds it', async (_, number, outcome) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const held: object[] = [];
    const holding = { query: (statement: object) => (held.push(statement), client.query(statement as never)) };
    const store = async (): Promise<[WeakRef<object>, string]> => {
      const values = [number];
      const text = 'INSERT INTO numbers VALUES ($1)';
      const adding = pipelined(holding as unknown as SqlConnection, (pipeline) => pipeline.query({ text, values }));
      return [new WeakRef(values), await adding.then(() => 'stored').catch((error: Error) => error.message)];
    };
    const [values, known] = await store();
    expect(known).toBe(outcome);
    await new Promise(setImmediate);
    collectGarbage();
    expect(held).toHaveLength(1);
    expect(values.deref()).toBeUndefined();
  });
});

// Consecutive transactions: which statements are sent ahead, which never are, and the effect of the first one's failure on the second.
describe('transactionLine', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    await database.pool.query('CREATE TABLE numbers (number int PRIMARY KEY)');
  });
  afterAll(() => database.drop());
  beforeEach(() => database.pool.query('TRUNCATE numbers'));

  const behind = { behind: true };
  const add = (number: number) => ({ text: 'INSERT INTO numbers VALUES ($1)', values: [number] });
  const stored = async (): Promise<number[]> => {
    const { rows } = await database.pool.query<{ number: number }>('SELECT number FROM numbers ORDER BY number');
    return rows.map(({ number }) => number);
  };

  /** A transaction in a single pipeline; returns the back-end that stored it. */
  const adding = (number: number, waiting = 'SELECT 1') => {
    return (transaction: QueuedTransaction): Promise<number> =>
      transaction.pipelinedToCommit(async (client) => {
        const [, , { rows }] = await Promise.all([
          client.query(waiting),
          client.query(add(number)),
          client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'),
        ]);
        return rows[0]!.pid;
      });
  };

  /** A line over the test's pool, and the connections that it took. */
  function newLine({ waitingCount = 0 } = {}) {
    const taken: PoolClient[] = [];
    const connect = async (): Promise<PoolClient> => {
      const client = await database.pool.connect();
      taken.push(client);
      return client;
    };
    return { run: createPipelinedConnection({ connect, waitingCount } as unknown as Pool), taken };
  }

  const bytesWritten = (client: PoolClient): number =>
    (client as unknown as { connection: { stream: Socket } }).connection.stream.bytesWritten;
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  test('the second is sent while the first runs, on its connection, and a third takes one of its own', async () => {
    const { run, taken } = newLine();
    const servedOf: number[] = [];
    const first = run(adding(1, 'SELECT pg_sleep(0.2)'), behind).then((pid) => (servedOf.push(1), pid));
    await nextTurn();
    const before = bytesWritten(taken[0]!);
    const second = run(adding(2), behind).then((pid) => (servedOf.push(2), pid));
    expect(bytesWritten(taken[0]!)).toBeGreaterThan(before);
    const third = run(adding(3), behind);
    const pids = await Promise.all([first, second, third]);
    expect(servedOf).toEqual([1, 2]);
    expect(pids[1]).toBe(pids[0]);
    expect(pids[2]).not.toBe(pids[0]);
    expect(taken).toHaveLength(2);
    expect(await stored()).toEqual([1, 2, 3]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });

  test('one that must not wait for another takes a connection of its own', async () => {
    const { run, taken } = newLine();
    const first = run(adding(1, 'SELECT pg_sleep(0.1)'), { behind: false });
    await nextTurn();
    await Promise.all([first, run(adding(2), { behind: false })]);
    expect(taken).toHaveLength(2);
  });

  test('nobody waits for a connection that a line keeps', async () => {
    const { run, taken } = newLine({ waitingCount: 1 });
    const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
    await nextTurn();
    await Promise.all([first, run(adding(2), behind)]);
    expect(taken).toHaveLength(2);
  });

  test('behind one whose COMMIT fails the second is stored', async () => {
    const deferred = 'CREATE TABLE doubles (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)';
    await database.pool.query(deferred);
    const { run, taken } = newLine();
    const first = run(adding(1, 'INSERT INTO doubles VALUES (1), (1)'), behind);
    await nextTurn();
    const second = run(adding(2), behind);
    await expect(first).rejects.toMatchObject({ code: '23505' });
    await second;
    expect(taken).toHaveLength(1);
    expect(await stored()).toEqual([2]);
  });

  test('what the first has not prepared, since it failed before, the second prepares when it comes again', async () => {
    const { run, taken } = newLine();
    const named = (number: number) => ({ name: 'add_named', ...add(number) });
    const store = (first: string, number: number) => (transaction: QueuedTransaction) =>
      transaction.pipelinedToCommit((client) => Promise.all([client.query(first), client.query(named(number))]));
    const failing = run(store('SELECT 1 / 0', 1), behind);
    await nextTurn();
    const passedOver = run(store('SELECT 1', 2), behind);
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    await expect(passedOver).rejects.toMatchObject({ code: '25P02' });
    await run(store('SELECT 1', 3), behind);
    await run(store('SELECT 1', 4), behind);
    expect(new Set(taken).size).toBe(1);
    expect(await stored()).toEqual([3, 4]);
  });

  test('nothing goes between two pipelines of a transaction', async () => {
    const { run, taken } = newLine();
    let commit = (): void => undefined;
    const held = new Promise<void>((resolve) => (commit = resolve));
    const first = run(async (transaction) => {
      await transaction.pipelined((client) => client.query(add(1)));
      await held;
      await transaction.pipelinedToCommit((client) => client.query(add(2)));
    }, behind);
    await nextTurn();
    await run(adding(3), behind);
    expect(taken).toHaveLength(2);
    expect(await stored()).toEqual([3]);
    commit();
    await first;
    expect(await stored()).toEqual([1, 2, 3]);
  });

  test('one that takes several pipelines may begin behind another', async () => {
    const { run, taken } = newLine();
    const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
    await nextTurn();
    const second = run(async (transaction) => {
      const { rows } = await transaction.pipelined((client) =>
        client.query<{ count: number }>('SELECT count(*)::int AS count FROM numbers'),
      );
      await transaction.pipelinedToCommit((client) => client.query(add(rows[0]!.count + 1)));
    }, behind);
    await Promise.all([first, second]);
    expect(taken).toHaveLength(1);
    expect(await stored()).toEqual([1, 2]);
  });

  test('behind one that fails the second is passed over and nothing of it stored; the connection is as new', async () => {
    const { run, taken } = newLine();
    await run(adding(1), behind);
    const first = run(adding(1), behind);
    await nextTurn();
    const second = run(adding(2), behind);
    await expect(first).rejects.toMatchObject({ code: '23505' });
    await expect(second).rejects.toMatchObject({ code: '25P02' });
    expect(taken).toHaveLength(2);
    expect(await stored()).toEqual([1]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
    await run(adding(2), behind);
    expect(taken[2]).toBe(taken[1]);
    expect(await stored()).toEqual([1, 2]);
  });

  test('a second one that fails leaves the first stored', async () => {
    const { run } = newLine();
    const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
    await nextTurn();
    const second = run(adding(1), behind);
    await expect(second).rejects.toMatchObject({ code: '23505' });
    await first;
    expect(await stored()).toEqual([1]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });

  test('a connection that is cut fails both, and is not used again', async () => {
    const { run, taken } = newLine();
    const first = run(adding(1, 'SELECT pg_sleep(20)'), behind);
    await nextTurn();
    const second = run(adding(2), behind);
    const refused = Promise.all([first, second].map((each) => each.then(() => 'stored', classifyDatabaseError)));
    const { processID } = taken[0] as unknown as { processID: number };
    await database.pool.query('SELECT pg_terminate_backend($1)', [processID]);
    expect(await refused).toEqual(['unavailable', 'unavailable']);
    expect(await stored()).toEqual([]);
    await run(adding(3), behind);
    expect(taken[1]).not.toBe(taken[0]);
  });

  test('on a network that has gone silent both end by their time, and the connection is not used again', async () => {
    const silent = await createTestDatabase({ empty: true });
    try {
      await silent.pool.query('CREATE TABLE numbers (number int PRIMARY KEY)');
      const client = await silent.pool.connect();
      const stream = (client as unknown as { connection: { stream: Socket } }).connection.stream;
      (client as unknown as { connectionParameters: { query_timeout: number } }).connectionParameters.query_timeout =
        200;
      const run = createPipelinedConnection({ connect: async () => client, waitingCount: 0 } as unknown as Pool);
      const removed = new Promise((resolve) => silent.pool.once('remove', resolve));
      const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
      await nextTurn();
      stream.pause();
      const second = run(adding(2), behind);
      await expect(first).rejects.toThrow('Query read timeout');
      await expect(second).rejects.toThrow('Query read timeout');
      await removed;
    } finally {
      await silent.drop();
    }
  });
});

// The pool of connections: an abandoned query does not delay the next user of its connection.
describe('databasePool', () => {
  let testDatabase: TestDatabase;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
  });
  afterAll(() => testDatabase.drop());

  const backend = 'SELECT pg_backend_pid() AS pid';

  test('a connection given back while it waits for a response is not used again', async () => {
    const options = { poolSize: 2, statementTimeoutMillis: 10_000, log: createLog('silent') };
    const { pool, close } = openDatabase({ url: testDatabase.url, ...options });
    try {
      const holder = await pool.connect();
      const { rows: first } = await holder.query<{ pid: number }>(backend);
      const givenUp = holder.query('SELECT pg_sleep(20)').catch((error: Error) => error.message);
      holder.release();
      const { rows: next } = await pool.query<{ pid: number }>(backend);
      expect(next[0]!.pid).not.toBe(first[0]!.pid);
      expect(await givenUp).toMatch(/terminated/);
    } finally {
      await close();
    }
  });

  test('a connection given back in order is used again', async () => {
    const options = { poolSize: 2, statementTimeoutMillis: 10_000, log: createLog('silent') };
    const { pool, close } = openDatabase({ url: testDatabase.url, ...options });
    try {
      const pids = [];
      for (let time = 0; time < 3; time++) pids.push((await pool.query<{ pid: number }>(backend)).rows[0]!.pid);
      expect(new Set(pids).size).toBe(1);
    } finally {
      await close();
    }
  });

  test('transactions, kept or undone, leave nothing behind on their connection', async () => {
    const options = { poolSize: 1, statementTimeoutMillis: 10_000, log: createLog('silent') };
    const { pool, close } = openDatabase({ url: testDatabase.url, ...options });
    const listeners = async (): Promise<number> => {
      const client = await pool.connect();
      client.release();
      return client.listenerCount('error');
    };
    try {
      const before = await listeners();
      for (const statement of ['SELECT 1', 'SELECT 1', 'SELECT nothing']) {
        await inTransaction(pool, (client) => client.query(statement)).catch(() => undefined);
      }
      expect(await listeners()).toBe(before);
    } finally {
      await close();
    }
  });

  test.each([
    [2, 1, 1],
    [4, 1, 3],
    [5, 2, 4],
    [10, 4, 9],
    [100, 40, 99],
  ])('of %d connections the admin API may hold %d, and %d in a process of its own', (poolSize, share, alone) => {
    expect([adminConnections(poolSize, false), adminConnections(poolSize, true)]).toEqual([share, alone]);
  });

  test("the admin API's share of the pool ends before the pool does, for SQL, transactions and Prisma together", async () => {
    const options = { poolSize: 5, statementTimeoutMillis: 20_000, log: createLog('silent') };
    const { pool, adminPool, prisma, close } = openDatabase({ url: testDatabase.url, ...options });
    const failureOf = (work: Promise<unknown>) => work.then(() => null, classifyDatabaseError);
    const held: PoolClient[] = [];
    try {
      await prisma.organization.count();
      const warm = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
      for (const client of warm) client.release();
      for (const lane of ['one', 'two']) held.push(await inLane(lane, () => adminPool.connect()));
      // From here on the test says how time passes: no pause of the machine uses up the patience.
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
      let ended = 0;
      const asked = [
        failureOf(adminPool.query('SELECT 1')),
        failureOf(prisma.organization.findMany()),
        failureOf(inTransaction(adminPool, ({ prisma: models }) => models.organization.findMany())),
        failureOf(inTransaction(adminPool, (client) => client.query('SELECT 1'))),
      ];
      for (const each of asked) void each.then(() => (ended += 1));
      expect(await failureOf(pool.query('SELECT 1'))).toBeNull();
      expect(ended).toBe(0);
      while (ended < asked.length) await passMillis(1_000);
      expect(await Promise.all(asked)).toEqual(['unavailable', 'unavailable', 'unavailable', 'unavailable']);
      const waiting = adminPool.query<{ one: number }>('SELECT 1 AS one');
      held.pop()!.release();
      expect((await waiting).rows).toEqual([{ one: 1 }]);
      await expect(adminPool.query('SELECT nothing')).rejects.toThrow('nothing');
      expect(await prisma.organization.count()).toBe(0);
    } finally {
      jest.useRealTimers();
      for (const client of held) client.release();
      await close();
    }
  });

  test('who comes behind 500 that wait for the share is refused at once, and those are served', async () => {
    const options = { poolSize: 2, statementTimeoutMillis: 20_000, log: createLog('silent') };
    const { adminPool, close } = openDatabase({ url: testDatabase.url, ...options });
    const outcomeOf = (work: Promise<unknown>) => work.then(() => 'served', classifyDatabaseError);
    try {
      const holder = await adminPool.connect();
      const all = Array.from({ length: 501 }, () => outcomeOf(adminPool.query('SELECT 1')));
      holder.release();
      expect(await Promise.all(all)).toEqual([...Array<string>(500).fill('served'), 'unavailable']);
    } finally {
      await close();
    }
  });

  test.each(['SQL', 'Prisma'])('organizations take turns for the share, for %s', async (kind) => {
    const options = { poolSize: 2, statementTimeoutMillis: 20_000, log: createLog('silent') };
    const { adminPool, prisma, close } = openDatabase({ url: testDatabase.url, ...options });
    const served: string[] = [];
    const ask = (organization: string) =>
      inLane(organization, async () => {
        if (kind === 'SQL') await adminPool.query('SELECT 1');
        else await prisma.project.count();
        served.push(organization);
      });
    try {
      const holder = await adminPool.connect();
      const all = [...Array.from({ length: 20 }, () => ask('busy')), ask('other')];
      holder.release();
      await Promise.all(all);
      expect(served.indexOf('other')).toBeLessThan(3);
    } finally {
      await close();
    }
  });

  test('one organization leaves a connection of the share to the others, however long its statements take', async () => {
    const options = { poolSize: 5, statementTimeoutMillis: 20_000, log: createLog('silent') };
    const { adminPool, close } = openDatabase({ url: testDatabase.url, ...options });
    const served: string[] = [];
    const ask = (organization: string) =>
      inLane(organization, () => adminPool.query('SELECT 1')).then(() => served.push(organization));
    try {
      const holder = await inLane('slow', () => adminPool.connect());
      const behind = ask('slow');
      await ask('other');
      expect(served).toEqual(['other']);
      holder.release();
      await behind;
    } finally {
      await close();
    }
  });

  test('a connection of the share that is given back with an error is not used again', async () => {
    const options = { poolSize: 2, statementTimeoutMillis: 10_000, log: createLog('silent') };
    const { adminPool, close } = openDatabase({ url: testDatabase.url, ...options });
    const pids: number[] = [];
    try {
      for (const error of [new Error('its transaction may be open'), undefined]) {
        const client = await adminPool.connect();
        pids.push((await client.query<{ pid: number }>(backend)).rows[0]!.pid);
        client.release(error);
      }
      expect(pids[1]).not.toBe(pids[0]);
    } finally {
      await close();
    }
  });
});

// Prisma's models in the transactions of the admin API: one connection, one BEGIN and one COMMIT for SQL and Prisma.
describe('prisma', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    await testDatabase.pool.query(
      `ALTER DATABASE "${new URL(testDatabase.url).pathname.slice(1)}" SET timezone = 'Asia/Kolkata'`,
    );
    database = openDatabase({ url: testDatabase.url, ...limits });
    await database.prisma.organization.count();
  });
  afterEach(() => database.prisma.organization.deleteMany());
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const limits = { poolSize: 10, statementTimeoutMillis: 10_000, log: createLog('silent') };
  const [id, other] = [randomUUID(), randomUUID()];
  const add = (name: string) => ({
    name: 'add_organization',
    text: 'INSERT INTO organizations (id, name) VALUES ($1, $2)',
    values: [randomUUID(), name],
  });
  const rename = ({ prisma }: AdminTransaction, name: string) =>
    prisma.organization.update({ where: { id }, data: { name }, select: { id: true } });
  const names = async (): Promise<string[]> =>
    (await database.prisma.organization.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name);
  const pidOf = async (transaction: AdminTransaction) =>
    (await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    );

  test('SQL and Prisma see each other inside, nobody else sees them before the commit, and they are stored together', async () => {
    await inTransaction(database.adminPool, async (transaction) => {
      const { prisma } = transaction;
      await prisma.organization.create({ data: { id, name: 'by Prisma' } });
      await transaction.query(add('by SQL'));
      const { rows } = await transaction.query('SELECT name FROM organizations ORDER BY name');
      expect(rows).toEqual([{ name: 'by Prisma' }, { name: 'by SQL' }]);
      expect(await prisma.organization.count()).toBe(2);
      // The same client, outside of the transaction, and while it is open.
      expect(await names()).toEqual([]);
    });
    expect(await names()).toEqual(['by Prisma', 'by SQL']);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });

  test('Prisma adds no BEGIN and no COMMIT of its own, and its first statement begins the transaction', async () => {
    const sent: string[] = [];
    await inTransaction(database.adminPool, async (transaction) => {
      const query = transaction.query.bind(transaction);
      Object.assign(transaction, {
        query: (statement: { text: string }) => (sent.push(statement.text), query(statement)),
      });
      await transaction.prisma.organization.create({ data: { name: 'one' }, select: { id: true } });
      const { rows } = await query('SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS one');
      expect(rows).toEqual([{ one: true }]);
    });
    expect(sent).toEqual([expect.stringMatching(/^INSERT INTO "public"."organizations"/)]);
    expect(await names()).toEqual(['one']);
  });

  test('what throws undoes SQL and Prisma together, and the error is the one that was thrown', async () => {
    const thrown = new Error('thought better of it');
    const attempt = inTransaction(database.adminPool, async (transaction) => {
      await transaction.query(add('by SQL'));
      await transaction.prisma.organization.create({ data: { name: 'by Prisma' } });
      throw thrown;
    });
    expect(await failureOf(attempt)).toBe(thrown);
    expect(await names()).toEqual([]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });

  test('rollBack undoes what Prisma wrote before it, and the transaction goes on', async () => {
    await inTransaction(database.adminPool, async (transaction) => {
      await transaction.prisma.organization.create({ data: { name: 'undone' } });
      await transaction.rollBack();
      await transaction.prisma.organization.create({ data: { name: 'kept' } });
    });
    expect(await names()).toEqual(['kept']);
  });

  test('a unique violation is P2002, ends the transaction, and is known by one name for SQL and Prisma', async () => {
    const twice = inTransaction(database.adminPool, async ({ prisma }) => {
      await prisma.organization.create({ data: { id, name: 'one' } });
      await prisma.organization.create({ data: { id, name: 'two' } });
    });
    const failure = await failureOf(twice);
    expect(failure).toMatchObject({ code: 'P2002' });
    expect([isUniqueViolation(failure), classifyDatabaseError(failure)]).toEqual([true, 'unknown']);
    expect(await names()).toEqual([]);
    const text = `INSERT INTO organizations (id, name) VALUES ('${id}', ''), ('${id}', '')`;
    expect(isUniqueViolation(await failureOf(database.pool.query(text)))).toBe(true);
  });

  test.each([
    ['40001', 'conflict'],
    ['40P01', 'conflict'],
    ['57014', 'unavailable'],
    ['55P03', 'unavailable'],
    ['53100', 'unavailable'],
    ['53300', 'unavailable'],
    ['22003', 'data'],
    ['22P02', 'data'],
  ])('a statement of Prisma that PostgreSQL refuses with %s is "%s", as one of SQL is', async (code, meaning) => {
    await database.prisma.organization.create({ data: { id, name: 'one' } });
    const attempt = inTransaction(database.adminPool, async (transaction) => {
      await transaction.query(`CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`);
      await transaction.query(
        'CREATE TRIGGER refuse BEFORE UPDATE ON organizations FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse()',
      );
      await rename(transaction, 'two');
    });
    expect(classifyDatabaseError(await failureOf(attempt))).toBe(meaning);
    expect(await names()).toEqual(['one']);
  });

  test('a transaction with Prisma that meets another one is tried again as a whole', async () => {
    await database.prisma.organization.create({ data: { id, name: 'one' } });
    let attempts = 0;
    await retryConflicts(() =>
      inTransaction(database.adminPool, async (transaction) => {
        await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        await transaction.prisma.organization.count();
        if (++attempts === 1) await database.pool.query("UPDATE organizations SET name = 'between'");
        await rename(transaction, `attempt ${attempts}`);
      }),
    );
    expect(await names()).toEqual(['attempt 2']);
  });

  test.each(['before a statement', 'in a statement'])(
    'a connection that is cut %s of Prisma leaves nothing and is "unavailable"',
    async (when) => {
      await database.prisma.organization.create({ data: { id, name: 'one' } });
      const lock = await holdLock(database.pool, `SELECT 1 FROM organizations WHERE id = '${id}' FOR UPDATE`);
      const attempt = failureOf(
        inTransaction(database.adminPool, async (transaction) => {
          await transaction.prisma.organization.create({ data: { name: 'lost' } });
          const pid = await pidOf(transaction);
          const cut = () => database.pool.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
          if (when.startsWith('before')) await cut();
          else void lock.waiting(1).then(cut);
          await rename(transaction, 'two');
        }),
      );
      expect(classifyDatabaseError(await attempt)).toBe('unavailable');
      await lock.release();
      expect(await names()).toEqual(['one']);
    },
  );

  test('a statement of Prisma ends at the limit of the connection', async () => {
    const short = openDatabase({ url: testDatabase.url, ...limits, statementTimeoutMillis: 1_000 });
    await database.prisma.organization.create({ data: { id, name: 'one' } });
    const lock = await holdLock(database.pool, `SELECT 1 FROM organizations WHERE id = '${id}' FOR UPDATE`);
    try {
      const failure = await failureOf(inTransaction(short.adminPool, (transaction) => rename(transaction, 'two')));
      expect(classifyDatabaseError(failure)).toBe('unavailable');
      expect(String(failure)).toMatch(/due to (statement|lock) timeout/);
    } finally {
      await lock.release();
      await short.close();
    }
  });

  test('two transactions at once, and calls outside of them: each is on its own connection, in one tick too', async () => {
    await database.prisma.organization.createMany({ data: [id, other].map((each) => ({ id: each, name: 'before' })) });
    const find = ({ organization }: PrismaModels) => organization.findUniqueOrThrow({ where: { id } });
    const change = (name: string, both: (models: PrismaModels) => Promise<unknown>) =>
      inTransaction(database.adminPool, async (transaction) => {
        const where = { id: name === 'first' ? id : other };
        await transaction.prisma.organization.update({ where, data: { name } });
        await both(transaction.prisma);
        return pidOf(transaction);
      });
    let open: PrismaModels[] = [];
    let ready = () => undefined as void;
    const both = new Promise<void>((resolve) => (ready = resolve));
    let seen: Promise<string[]> | undefined;
    const meet = async (models: PrismaModels): Promise<void> => {
      open = [...open, models];
      // Prisma gathers the `findUnique` calls of a tick: those of different transactions must not become one statement.
      if (open.length === 2) {
        seen = Promise.all([...open, database.prisma].map(async (each) => (await find(each)).name));
        ready();
      }
      await both;
      await seen;
    };
    const pids = await Promise.all([change('first', meet), change('second', meet)]);
    expect(new Set(pids).size).toBe(2);
    expect((await seen!).sort()).toEqual(['before', 'before', 'first']);
    expect(await names()).toEqual(['first', 'second']);
  });

  test('the models of a transaction that has ended do nothing', async () => {
    const late = await inTransaction(database.adminPool, (transaction) => Promise.resolve(transaction.prisma));
    await expect(late.organization.create({ data: { name: 'late' } })).rejects.toMatchObject({ code: 'P2028' });
    expect(await names()).toEqual([]);
  });

  test('Prisma opens no transaction of its own, neither by $transaction nor for a nested write', async () => {
    const refusal = 'use inTransaction';
    const { prisma } = database;
    await expect(prisma.$transaction((models) => models.organization.count())).rejects.toThrow(refusal);
    const nested = { name: 'one', projects: { create: { name: 'two' } } };
    await expect(prisma.organization.create({ data: nested })).rejects.toThrow(refusal);
    const inside = inTransaction(database.adminPool, () => prisma.organization.create({ data: nested }));
    await expect(inside).rejects.toThrow(refusal);
    expect(await names()).toEqual([]);
  });

  test('times are the same for SQL and Prisma, in a database with a time zone of its own', async () => {
    const createdAt = new Date('2026-07-01T12:34:56.789Z');
    const bySql = { text: 'INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)' };
    await inTransaction(database.adminPool, async (transaction) => {
      await transaction.prisma.organization.create({ data: { id, name: 'by Prisma', createdAt } });
      await transaction.query({ ...bySql, values: [other, 'by SQL', createdAt] });
      expect(await transaction.prisma.organization.count({ where: { createdAt } })).toBe(2);
    });
    const found = await database.prisma.organization.findMany({ select: { createdAt: true } });
    expect(found).toEqual([{ createdAt }, { createdAt }]);
    const { rows } = await database.pool.query<{ timezone: string; count: number }>(
      "SELECT current_setting('timezone') AS timezone, count(DISTINCT created_at)::int AS count FROM organizations",
    );
    expect(rows).toEqual([{ timezone: 'Asia/Kolkata', count: 1 }]);
  });
});

// The ids of rows that the admin API creates: version 7, so that a new row lands on the right edge of its index.
describe('rowIds', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  test('projects, applications, keys and campaigns have ids of version 7', async () => {
    const admin = await newUser(service, await newOrganization(service), 'admin');
    const projectId = await createProject(admin);
    const application = await createApplication(admin, projectId);
    const campaign = await (await newCampaignEditor(service)).create();
    const where = { public: application.apiKeys[0]!.public };
    const key = await service.database.prisma.apiKey.findUniqueOrThrow({ where });
    const ids = { project: projectId, application: application.id, key: key.id, campaign: campaign.id };
    const versions = Object.entries(ids).map(([name, id]) => `${name} ${id[14]}`);
    expect(versions).toEqual(['project 7', 'application 7', 'key 7', 'campaign 7']);
  });
});
