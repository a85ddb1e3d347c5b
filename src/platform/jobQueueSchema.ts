// The job queue's own schema in our database: applied and checked where the migrations of prisma/ are.
import { runMigrations, Logger } from 'graphile-worker';
import { migrations } from 'graphile-worker/dist/generated/sql.js';
import pg from 'pg';

const silent = new Logger(() => () => undefined);

/** Safe to run from several processes at once; each step is a transaction of its own. */
export async function applyJobQueueMigrations(url: string): Promise<string[]> {
  const pending = await pendingJobQueueMigrations(url);
  if (pending.length > 0) await runMigrations({ connectionString: url, logger: silent, maxPoolSize: 2 });
  return pending;
}

/** Names like `graphile_worker/000019`, in their order. */
export async function pendingJobQueueMigrations(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ present: boolean }>(
      `SELECT to_regclass('graphile_worker.migrations') IS NOT NULL AS present`,
    );
    const applied = rows[0]!.present
      ? await client.query<{ id: number }>('SELECT id FROM graphile_worker.migrations')
      : { rows: [] };
    const ids = new Set(applied.rows.map(({ id }) => id));
    const names = Object.keys(migrations).map((file) => file.replace(/\.sql$/, ''));
    return names.filter((name) => !ids.has(Number(name))).map((name) => `graphile_worker/${name}`);
  } finally {
    await client.end();
  }
}
