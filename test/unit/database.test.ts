// The type of a transaction: a function that writes in one cannot be handed anything else.
import { jest } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { audit, auditAlone } from '../../src/audit/audit.ts';
import type { AdminContext } from '../../src/graphql/context.ts';
import { classifyDatabaseError } from '../../src/platform/database/databaseErrors.ts';
import { askIdleConnections } from '../../src/platform/database/database.ts';
import {
  type AdminPool,
  type AdminTransaction,
  inTransaction,
  type QueuedTransaction,
  type PipelinedTransaction,
  retryConflicts,
  type Transaction,
} from '../../src/platform/database/transaction.ts';
import type { SqlConnection } from '../../src/platform/database/sql.ts';

describe('transaction', () => {
  const actor = { organizationId: 'o', email: 'olga@example.com' };

  test('the pool, a connection and what only looks like a transaction do not compile in its place', () => {
    expect([
      // @ts-expect-error -- the pool
      (pool: Pool) => audit(pool, actor),
      // @ts-expect-error -- a connection
      (client: PoolClient) => audit(client, actor),
      // @ts-expect-error -- whatever runs a statement
      (connection: SqlConnection) => audit(connection, actor),
      // @ts-expect-error -- made by hand
      ({ query }: SqlConnection) => audit({ query }, actor),
      (transaction: Transaction) => audit(transaction, actor),
      (pool: Pool) => inTransaction(pool, (transaction) => audit(transaction, actor)),
      (pool: Pool) =>
        inTransaction(pool, (transaction) => transaction.pipelinedToCommit((pipeline) => audit(pipeline, actor))),
      // @ts-expect-error -- in a line: no rollback where the next transaction may have been sent
      (transaction: QueuedTransaction): Pick<PipelinedTransaction, 'rollBack'> => transaction,
    ]).toHaveLength(8);
  });

  test('only a transaction of the admin API has Prisma, and no raw SQL by it', () => {
    expect([
      (pool: AdminPool) => inTransaction(pool, ({ prisma }) => prisma.organization.count()),
      // @ts-expect-error -- the pool of uploads and jobs
      (pool: Pool): AdminPool => pool,
      // @ts-expect-error -- what that pool opens, also in a pipeline
      (transaction: Transaction): AdminTransaction => transaction,
      (pool: Pool) => inTransaction(pool, (transaction: PipelinedTransaction) => transaction.commit()),
      // @ts-expect-error -- SQL has `query`
      ({ prisma }: AdminTransaction): Pick<PrismaClient, '$queryRaw'> => prisma,
      // @ts-expect-error -- it is a transaction already
      ({ prisma }: AdminTransaction): Pick<PrismaClient, '$transaction'> => prisma,
    ]).toHaveLength(6);
  });

  test('an operation of the admin API that asks for the pool of uploads does not compile', () => {
    expect([
      // @ts-expect-error -- its own share alone
      (context: AdminContext): { pool: Pool } => context,
      (context: AdminContext): { adminPool: Pool } => context,
    ]).toHaveLength(2);
  });

  test('a function that reads, or writes one whole statement, takes each of them', () => {
    expect([
      (pool: Pool) => auditAlone(pool, actor),
      (client: PoolClient) => auditAlone(client, actor),
      (transaction: Transaction) => auditAlone(transaction, actor),
    ]).toHaveLength(3);
  });
});

// The consequence of each database failure for its request.
describe('classifyDatabaseError', () => {
  const withCode = (code: string) => Object.assign(new Error('a message that says nothing'), { code });

  test.each<[string, string[]]>([
    ['conflict', ['40001', '40P01']],
    [
      'unavailable',
      ['57014', '55P03', '57P01', '57P02', '57P03', '53100', '53200', '53300', '25P03', '25006', '58030'],
    ],
    ['unavailable', ['28000', '28P01', '3D000', '57P04']],
    ['unavailable', ['2200H', '54000']],
    ['unavailable', ['08000', '08003', '08006', '08P01']],
    [
      'unavailable',
      [
        'ECONNREFUSED',
        'ECONNRESET',
        'EPIPE',
        'EMFILE',
        'ENFILE',
        'ETIMEDOUT',
        'ENOTFOUND',
        'EAI_AGAIN',
        'EHOSTUNREACH',
      ],
    ],
    ['data', ['22021', '22P05', '22P02', '22008', '22003', '54001']],
    ['unknown', ['23505', '42P01', '42601', 'XX000', 'P2002', '']],
  ])('%s: %j', (meaning, codes) => {
    for (const code of codes) expect([code, classifyDatabaseError(withCode(code))]).toEqual([code, meaning]);
  });

  // The fields that PostgreSQL 15 and 18 send beside the code.
  test.each([
    ['data', { table: 'sessions', constraint: 'sessions_pkey', routine: '_bt_check_third_page' }],
    ['data', { routine: 'index_form_tuple_context' }],
    ['unavailable', { routine: 'GetNewTransactionId' }],
  ])('%s: a limit of the program that is met by %j', (meaning, said) => {
    expect(classifyDatabaseError(Object.assign(withCode('54000'), said))).toBe(meaning);
  });

  // Errors of pg 8 and Prisma 7 that have no code.
  test.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    "Can't reach database server at 127.0.0.1:5432",
    'Server has closed the connection.',
    'Cannot use a pool after calling end on the pool',
    'database "app" is not currently accepting connections',
  ])('unavailable: "%s"', (message) => {
    expect(classifyDatabaseError(new Error(message))).toBe('unavailable');
  });

  // Errors that Citus 13 reports as internal errors.
  test.each([
    'failure on connection marked as essential: 127.0.0.1:5602',
    'could not connect to any active placements',
    'server closed the connection unexpectedly',
    'could not receive data from server: Connection reset by peer',
    'could not send data to server: Broken pipe',
    'no connection to the server',
    'connection to the remote node postgres@10.0.0.7:5432 failed with the following error: server closed the connection',
    'terminating connection due to administrator command',
    'canceling statement due to lock timeout',
  ])('unavailable although an internal error: "%s"', (message) => {
    const error = Object.assign(new Error(message), { code: 'XX000' });
    expect(classifyDatabaseError(error)).toBe('unavailable');
  });

  test('the causes of an error are looked through, however deep', () => {
    const wrapped = new Error('outer', { cause: new Error('middle', { cause: withCode('40001') }) });
    expect(classifyDatabaseError(wrapped)).toBe('conflict');
  });

  test('an error of our own program is unknown, and so is what is no error', () => {
    expect(classifyDatabaseError(new TypeError('x is not a function'))).toBe('unknown');
    for (const thrown of [undefined, null, 'ECONNREFUSED', { code: 5 }])
      expect(classifyDatabaseError(thrown)).toBe('unknown');
  });
});

// The check of idle connections: each is queried every second, and none after the stop.
describe('idleConnections', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('every idle connection is asked every second, also after one has failed, until it ends', async () => {
    let asked = 0;
    const bounds = new Set<unknown>();
    const query = ({ query_timeout: bound }: { query_timeout?: number }) => {
      bounds.add(bound);
      return Promise.reject(new Error(`connection ${(asked += 1)} is dead`));
    };
    const stop = askIdleConnections({
      pool: { idleCount: 3, query } as unknown as Pool,
      idleQuestion: () => 'SELECT 1',
    });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(asked).toBe(6);
    // A silent connection gets a shorter timeout than a request.
    expect([...bounds]).toEqual([1_000]);
    stop();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(asked).toBe(6);
  });
});

// A transaction that met another one is repeated at most twice; any other failure is final.
describe('retryConflicts', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });

  test.each(['40001', '40P01'])('%s is retried twice at most', async (code) => {
    const run = jest.fn((attempt: number) => Promise.reject(Object.assign(failure(code), { attempt })));
    await expect(retryConflicts(run)).rejects.toMatchObject({ code, attempt: 3 });
    expect(run.mock.calls).toEqual([[1], [2], [3]]);
  });

  test('the first success ends it', async () => {
    const run = jest.fn((attempt: number) =>
      attempt === 2 ? Promise.resolve('stored') : Promise.reject(failure('40P01')),
    );
    await expect(retryConflicts(run)).resolves.toBe('stored');
    expect(run).toHaveBeenCalledTimes(2);
  });

  test.each(['57014', '23505', 'ECONNRESET'])(
    '%s is not retried: the transaction may have been stored',
    async (code) => {
      const run = jest.fn(() => Promise.reject(failure(code)));
      await expect(retryConflicts(run)).rejects.toMatchObject({ code });
      expect(run).toHaveBeenCalledTimes(1);
    },
  );
});
