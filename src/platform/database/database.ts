// The pool of PostgreSQL connections for Prisma and hand-written SQL.
import pg, { type ClientBase, type Pool } from 'pg';
import { PrismaClient } from '../../../generated/prisma/client.ts';
import { poolShare } from '../concurrencyLimiter.ts';
import type { Log } from '../observability/log.ts';
import { PrismaAdapter } from './prismaAdapter.ts';
import type { AdminPool } from './transaction.ts';

export interface Database {
  pool: pg.Pool;
  /** A view of the pool for the admin API, with a share of its connections. */
  adminPool: AdminPool;
  /** Uses the admin API's share. While the service runs, only the admin API uses Prisma. */
  prisma: PrismaClient;
  /** The statement for idle connections (database.ts). */
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
  const share = poolShare(pool, {
    connections: adminConnections(poolSize, options.adminAlone ?? false),
    patienceMillis: statementTimeoutMillis,
  });
  const adapter = new PrismaAdapter(share);
  const prisma = new PrismaClient({ adapter });
  const joining: AdminPool['joining'] = (connection, open) => adapter.joining(connection, open);
  const adminPool = Object.create(share, { prisma: { value: prisma }, joining: { value: joining } }) as AdminPool;
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

// The time limits of the pool's connections behind a pooler, which drops those that a connection asks for at its start.

const limited = "'{statement_timeout,lock_timeout,idle_in_transaction_session_timeout}'::text[]";

/** Shortens what is longer or missing on this connection. A limit that the operator has made shorter stays. */
const shorten = (millis: number): string => `/* platform: shortenLimits */
  SELECT count(set_config(name, '${millis}', false))::int AS shortened FROM unnest(${limited}) AS limits (name)
  WHERE extract(epoch FROM current_setting(name)::interval) NOT BETWEEN 0.001 AND ${millis / 1_000}`;

/**
 * Every role may do this for itself. Two processes that do it at once would fail, so they take turns: the lock is of the
 * transaction, because one of a session is not safe behind a pooler.
 */
const limitRole = (millis: number): string => `/* platform: limitRole */
  DO $$ DECLARE name text; BEGIN
    PERFORM pg_advisory_xact_lock(72707370);
    FOREACH name IN ARRAY ${limited} LOOP
      EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %s = ${millis}', current_database(), name);
    END LOOP;
  END $$`;

export interface HeldLimits {
  /** For each new connection. The pool awaits it before the first user gets the connection. */
  onConnect(client: ClientBase): unknown;
  /** For each idle connection, every second. */
  idleQuestion(): string;
}

/**
 * Asks each new connection whether it has the limits. If not, a pooler stands between: this connection gets them, and the
 * role too, so that every later connection of the pooler to PostgreSQL has them. Where a transaction may meet another of the
 * pooler's connections than the one before, the question to idle connections reaches the older ones.
 */
export function createHeldLimits(millis: number, log: Log): HeldLimits {
  let dropped = false;
  return {
    async onConnect(client) {
      const { rows } = await client.query<{ shortened: number }>(shorten(millis));
      if (rows[0]!.shortened === 0 || dropped) return;
      dropped = true;
      try {
        await client.query(limitRole(millis));
        log.info({ millis }, 'a pooler drops time limits: the role has them now');
      } catch (error) {
        log.warn({ err: error, millis }, 'a pooler drops time limits, and the role could not get them');
      }
    },
    idleQuestion: () => (dropped ? shorten(millis) : '/* platform: idle connection */ SELECT 1'),
  };
}

// Sends a query on each idle connection every second, so that no request is the first to find a dead one.

/** The interval, and the timeout of a response: a silent connection is removed after two seconds. */
const everyMillis = 1_000;
const respondWithinMillis = 1_000;

/** The returned function stops it. The pool drops a connection whose query fails. */
export function askIdleConnections({ pool, idleQuestion }: Pick<Database, 'pool' | 'idleQuestion'>): () => void {
  const timer = setInterval(() => {
    // pg's types lack the timeout of a single query.
    const question = { text: idleQuestion(), query_timeout: respondWithinMillis };
    // Sent in one turn of the event loop, each query takes its own connection.
    for (let idle = pool.idleCount; idle > 0; idle--) pool.query(question).catch(() => undefined);
  }, everyMillis);
  timer.unref();
  return () => clearInterval(timer);
}

// Opens the first connection to the configured database, so that a wrong name, host or login is reported with its variable.

/** Rejects with a message that begins with DATABASE_URL. */
export async function checkConnection(url: string): Promise<void> {
  let client: pg.Client | undefined;
  try {
    // Reads the file that `sslrootcert` names.
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    // The connection is closed at once: only its success matters.
    client.on('error', () => undefined);
    await client.connect();
  } catch (error) {
    // When all addresses of a host fail, the common error has no message.
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(`DATABASE_URL: ${message || String(code)}`, { cause: error });
  } finally {
    await client?.end();
  }
}

// Checks whether PostgreSQL keeps committed data after a crash: the service acknowledges uploads after their COMMIT.

interface Setting {
  name: string;
  value: string;
}

/** Reads the settings on a connection of the service, because a role, a database and a URL can each change `synchronous_commit`. */
export async function findDurabilityProblems(pool: Pick<Pool, 'query'>): Promise<{ lost: string[]; torn: string[] }> {
  const { rows } = await pool.query<Setting>(`/* platform: findDurabilityProblems */
    SELECT name, setting AS value FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') ORDER BY name`);
  const off = rows.filter(({ value }) => value === 'off').map(({ name }) => name);
  return {
    lost: off.filter((name) => name !== 'full_page_writes'),
    torn: off.filter((name) => name === 'full_page_writes'),
  };
}
