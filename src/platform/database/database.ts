// The one pool of PostgreSQL connections, serving Prisma and hand-written SQL alike, and the reading of its failures.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../../generated/prisma/client.ts';
import type { Log } from '../observability/log.ts';
import { poolShare } from './poolShare.ts';

export interface Database {
  pool: pg.Pool;
  /** The admin API's share of the pool. */
  adminPool: pg.Pool;
  /** On the admin API's share: nothing else of the service uses it while it serves. */
  prisma: PrismaClient;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Bound on one statement, a wait for a lock, a pause in a transaction and getting a connection: callers hear in time. */
  statementTimeoutMillis: number;
  log: Log;
}

/**
 * Of ten connections four: what anybody who has signed up asks for, however much it is, leaves six to uploads and jobs.
 * Of the smallest pool one.
 */
export function adminConnections(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize * 0.4));
}

export function openDatabase({ url, poolSize, statementTimeoutMillis, log }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: statementTimeoutMillis,
    statement_timeout: statementTimeoutMillis,
    lock_timeout: statementTimeoutMillis,
    // The server's own bounds come first, but for what is sent behind another transaction; this one ends the wait on a
    // network that has gone silent.
    query_timeout: statementTimeoutMillis + 500,
    // What a client that is no longer heard of has locked is free soon: it may have been this process.
    idle_in_transaction_session_timeout: statementTimeoutMillis,
    keepAlive: true,
    application_name: 'campaign-analytics-backend',
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  // A connection lost while somebody holds it fails their next query; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', (error) => log.debug({ err: error }, 'a connection was lost')));
  pool.on('release', (_error, client) => void (isWaiting(client) && client.end()));
  const adminPool = poolShare(pool, {
    connections: adminConnections(poolSize),
    patienceMillis: statementTimeoutMillis,
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(adminPool),
    // Its own bounds of two and five seconds know nothing of the setting; as above, those of share, pool and server come
    // first.
    transactionOptions: { maxWait: 2 * statementTimeoutMillis + 500, timeout: 10 * statementTimeoutMillis },
  });
  return {
    pool,
    adminPool,
    prisma,
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** Rejects where the database does not answer, or takes no writes as a replica: every upload would be answered 503. */
export async function pingDatabase(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ writable: boolean }>(
    "/* platform: ping */ SELECT current_setting('transaction_read_only') = 'off' AS writable",
  );
  if (!rows[0]!.writable) throw new Error('the database takes no writes');
}

/**
 * Whether it still waits for the answer to a query that was given up, and whose holder gave it back as if it were well:
 * the next one's queries would wait behind it.
 */
function isWaiting(client: pg.PoolClient): client is pg.PoolClient & pg.Client {
  return !(client as pg.PoolClient & { readyForQuery: boolean }).readyForQuery;
}

export type DatabaseFailure =
  /** The database is away, full or overloaded: the same work may succeed later. */
  | 'unavailable'
  /** Two transactions met: the same transaction may succeed at once. */
  | 'conflict'
  /** The data cannot be stored: a hole in the validation. */
  | 'data'
  | 'unknown';

const unavailableStates = new Set([
  // What is refused at the door, to this role or of this database: nobody's request is at fault, and somebody is at it.
  '28000',
  '28P01',
  '3D000',
  '57014',
  '55P03',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '25P03',
  '25006',
  '53000',
  '53100',
  '53200',
  '53300',
  '58030',
]);
const unavailableSystemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EMFILE',
  'ENFILE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
// Connection loss and an exhausted pool arrive as plain errors without a code (measured with pg 8 and Prisma 7), and what
// the coordinator of a Citus cluster says of a worker that is away as an internal error (measured with Citus 13.2).
const unavailableMessages =
  /not currently accepting connections|failure on connection marked as essential|could not connect to any active placements|terminating connection|connection terminated|connection error|timeout exceeded when trying to connect|query read timeout|can't reach database server|server has closed the connection|not queryable|cannot use a pool after/i;

export function classifyDatabaseError(error: unknown): DatabaseFailure {
  for (let cause = describe(error); cause; cause = describe(cause.cause)) {
    const { code, message } = cause;
    if (code === '40001' || code === '40P01') return 'conflict';
    if (unavailableStates.has(code) || code.startsWith('08') || unavailableSystemErrors.has(code)) return 'unavailable';
    if (isUsedUp(cause)) return 'unavailable';
    if (code.startsWith('22') || code.startsWith('54')) return 'data';
    if (unavailableMessages.test(message)) return 'unavailable';
  }
  return 'unknown';
}

/**
 * Numbers of a sequence, or of transactions: then PostgreSQL refuses every write, and no upload is at fault. A value that
 * is too large for its index has the latter's code, but names its table or the routine that makes index rows.
 */
function isUsedUp({ code, table, routine }: Cause): boolean {
  if (code !== '54000') return code === '2200H';
  return table === undefined && !String(routine).startsWith('index_form_tuple');
}

interface Cause {
  code: string;
  message: string;
  table: unknown;
  routine: unknown;
  cause: unknown;
}

function describe(error: unknown): Cause | null {
  if (!(error instanceof Error)) return null;
  const { code, message, table, routine, cause } = error as Error & Record<string, unknown>;
  return { code: typeof code === 'string' ? code : '', message, table, routine, cause };
}
