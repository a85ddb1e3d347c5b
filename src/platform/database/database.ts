// The pool of PostgreSQL connections for Prisma and hand-written SQL.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../../generated/prisma/client.ts';
import type { Log } from '../observability/log.ts';
import { createHeldLimits, type HeldLimits } from './heldLimits.ts';
import { poolShare } from './poolShare.ts';

export interface Database {
  pool: pg.Pool;
  /** A view of the pool for the admin API, with a share of its connections. */
  adminPool: pg.Pool;
  /** Uses the admin API's share. While the service runs, only the admin API uses Prisma. */
  prisma: PrismaClient;
  /** The statement for idle connections (idleConnections.ts). */
  idleQuestion(): string;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** Timeout of a statement, a wait for a lock, a pause in a transaction, and the wait for a connection. */
  statementTimeoutMillis: number;
  /** The process serves the admin API alone. Default: false. */
  adminAlone?: boolean;
  log: Log;
}

/**
 * Four of ten connections where uploads or jobs use the pool, too: anybody may sign up and send admin requests, and six
 * connections are left even with many of them. In a process of its own the admin API leaves one, for upkeep. The smallest
 * pool gives one.
 */
export function adminConnections(poolSize: number, alone: boolean): number {
  return Math.max(1, alone ? poolSize - 1 : Math.floor(poolSize * 0.4));
}

export function openDatabase(options: DatabaseOptions): Database {
  const { poolSize, statementTimeoutMillis, log } = options;
  const limits = createHeldLimits(statementTimeoutMillis, log);
  const pool = createPool(options, limits);
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  // A connection that is lost while it is in use fails the next query. Without a listener the error would end the process.
  pool.on('connect', (client) => client.on('error', (error) => log.debug({ err: error }, 'a connection was lost')));
  pool.on('release', (_error, client) => void (isWaiting(client) && client.end()));
  const adminPool = poolShare(pool, {
    connections: adminConnections(poolSize, options.adminAlone ?? false),
    patienceMillis: statementTimeoutMillis,
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(adminPool),
    // Prisma's own timeouts of two and five seconds ignore the setting. The timeouts of share, pool and server come
    // first.
    transactionOptions: { maxWait: 2 * statementTimeoutMillis + 500, timeout: 10 * statementTimeoutMillis },
  });
  return {
    pool,
    adminPool,
    prisma,
    idleQuestion: () => limits.idleQuestion(),
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

function createPool({ url, poolSize, statementTimeoutMillis }: DatabaseOptions, limits: HeldLimits): pg.Pool {
  return new pg.Pool({
    connectionString: url,
    onConnect: (client) => limits.onConnect(client),
    max: poolSize,
    connectionTimeoutMillis: statementTimeoutMillis,
    statement_timeout: statementTimeoutMillis,
    lock_timeout: statementTimeoutMillis,
    // The server's own timeouts come first, except for a transaction that was sent behind another one. This timeout ends
    // the wait on a silent network.
    query_timeout: statementTimeoutMillis + 500,
    // Frees the locks of a client that has gone silent. It may have been this process.
    idle_in_transaction_session_timeout: statementTimeoutMillis,
    keepAlive: true,
    application_name: 'campaign-analytics-backend',
  });
}

/** Rejects when the database does not respond, or is a replica and accepts no writes: every upload would get 503. */
export async function pingDatabase(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ writable: boolean }>(
    "/* platform: ping */ SELECT current_setting('transaction_read_only') = 'off' AS writable",
  );
  if (!rows[0]!.writable) throw new Error('the database takes no writes');
}

/**
 * Whether the connection was released while a timed-out query still waits for its response. The queries of the next user
 * would wait for it.
 */
function isWaiting(client: pg.PoolClient): client is pg.PoolClient & pg.Client {
  return !(client as pg.PoolClient & { readyForQuery: boolean }).readyForQuery;
}
