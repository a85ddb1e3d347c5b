// The consequence of each database failure for its request.
import { classifyDatabaseError } from '../../src/platform/database/databaseErrors.ts';

const withCode = (code: string) => Object.assign(new Error('a message that says nothing'), { code });

test.each<[string, string[]]>([
  ['conflict', ['40001', '40P01']],
  ['unavailable', ['57014', '55P03', '57P01', '57P02', '57P03', '53100', '53200', '53300', '25P03', '25006', '58030']],
  ['unavailable', ['28000', '28P01', '3D000', '57P04']],
  ['unavailable', ['2200H', '54000']],
  ['unavailable', ['08000', '08003', '08006', '08P01']],
  [
    'unavailable',
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EMFILE', 'ENFILE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'],
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
