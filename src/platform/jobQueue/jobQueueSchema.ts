// Applies and checks the job queue's own schema in the service's database, together with the migrations of prisma/.
import { runMigrations, Logger } from 'graphile-worker';
import { migrations } from 'graphile-worker/dist/generated/sql.js';
import pg from 'pg';
import { lookMillis, migrationLock, withoutLimits } from '../database/migrations.ts';
import { sql } from '../database/sql.ts';

const silent = new Logger(() => () => undefined);

/**
 * When several processes start together, one applies the steps and the others wait. Each step is its own transaction. The
 * library refuses the schema of a newer release when this release must not run on it.
 */
export async function applyJobQueueMigrations(url: string): Promise<string[]> {
  return await withClient({ connectionString: url }, async (client) => {
    await client.query(withoutLimits);
    // The lock is held until the connection ends.
    await client.query(sql`/* platform: lockJobQueueSchema */ SELECT pg_advisory_lock(${migrationLock})`);
    const pending = await findPending(client);
    await applyPending(url);
    return pending;
  });
}

async function applyPending(url: string): Promise<void> {
  // The pool awaits the promise, although its type does not say so.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  const pgPool = new pg.Pool({ connectionString: url, max: 2, onConnect: (client) => client.query(withoutLimits) });
  // A broken connection shows at its query.
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool, logger: silent });
  } finally {
    await pgPool.end();
  }
}

/** Names like `graphile_worker/000019`, in order. */
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
