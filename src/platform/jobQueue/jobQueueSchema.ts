// The job queue's own schema in our database: applied and checked where the migrations of prisma/ are.
import { runMigrations, Logger } from 'graphile-worker';
import { migrations } from 'graphile-worker/dist/generated/sql.js';
import pg from 'pg';
import { migrationLock } from '../database/migrations.ts';
import { sql } from '../database/sql.ts';
import { lookMillis, withoutLimits } from '../database/sessionLimits.ts';

const silent = new Logger(() => () => undefined);

/**
 * Of several processes that start together one works and the others wait; each step is a transaction of its own. A schema
 * that a newer release has made is refused where its library says that this one must not run on it.
 */
export async function applyJobQueueMigrations(url: string): Promise<string[]> {
  return await withClient({ connectionString: url }, async (client) => {
    await client.query(withoutLimits);
    // Held until the connection ends.
    await client.query(sql`/* platform: lockJobQueueSchema */ SELECT pg_advisory_lock(${migrationLock})`);
    const pending = await findPending(client);
    await applyPending(url);
    return pending;
  });
}

async function applyPending(url: string): Promise<void> {
  // The pool waits for the promise, of which its type does not speak.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  const pgPool = new pg.Pool({ connectionString: url, max: 2, onConnect: (client) => client.query(withoutLimits) });
  // Whatever breaks, its query says so.
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool, logger: silent });
  } finally {
    await pgPool.end();
  }
}

/** Names like `graphile_worker/000019`, in their order. */
export async function pendingJobQueueMigrations(url: string): Promise<string[]> {
  return await withClient({ connectionString: url, query_timeout: lookMillis }, findPending);
}

async function withClient<Result>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function findPending(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ present: boolean }>(
    `SELECT to_regclass('graphile_worker.migrations') IS NOT NULL AS present`,
  );
  const applied = rows[0]!.present
    ? await client.query<{ id: number }>('SELECT id FROM graphile_worker.migrations')
    : { rows: [] };
  const ids = new Set(applied.rows.map(({ id }) => id));
  const names = Object.keys(migrations).map((file) => file.replace(/\.sql$/, ''));
  return names.filter((name) => !ids.has(Number(name))).map((name) => `graphile_worker/${name}`);
}
