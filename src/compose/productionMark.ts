// The mark that a production start leaves in its database, so that no process outside production uses it by mistake.
import pg, { type Pool } from 'pg';
import { sql } from '../platform/database/sql.ts';

export async function markProduction(pool: Pool): Promise<void> {
  await pool.query(
    sql`/* compose: markProduction */ INSERT INTO production_mark DEFAULT VALUES ON CONFLICT DO NOTHING`,
  );
}

/**
 * Call it before a process outside production changes anything. `allowed` is ALLOW_PRODUCTION_DATABASE. Throws where the
 * database is marked and has another name.
 */
export async function refuseProduction(url: string, allowed: string | undefined): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // An error of the connection also rejects the query below.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const name = await findMarked(client);
    if (name === null || name === allowed) return;
    throw new Error(
      `DATABASE_URL: a production process uses the database "${name}". Set NODE_ENV=production. To use it outside production all the same, set ALLOW_PRODUCTION_DATABASE to its name.`,
    );
  } finally {
    await client.end();
  }
}

/** The name of the database; null where it has no mark, or is older than marks. */
async function findMarked(client: pg.Client): Promise<string | null> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    sql`/* compose: findMarkTable */ SELECT to_regclass('production_mark') IS NOT NULL AS there`,
  );
  if (!tables[0]!.there) return null;
  const { rows } = await client.query<{ name: string }>(
    sql`/* compose: findMark */ SELECT current_database() AS name FROM production_mark`,
  );
  return rows[0]?.name ?? null;
}
