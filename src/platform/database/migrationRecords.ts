// The rows of `_prisma_migrations`: the table and the meaning of each column are those of `prisma migrate deploy`.
import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { checksumOf, type Migration, type MigrationRecord } from './migrationHistory.ts';

/** Null where the database has no such table. A row that `prisma migrate resolve --rolled-back` marked does not count. */
export async function readRecords(client: ClientBase): Promise<MigrationRecord[] | null> {
  const { rows: found } = await client.query<{ present: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present",
  );
  if (found[0]?.present !== true) return null;
  const { rows } = await client.query<MigrationRecord>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
      WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return rows;
}

/** Refuses a database that already holds tables of another program. */
export async function createRecords(client: ClientBase): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_tables WHERE schemaname = current_schema() LIMIT 1');
  if (rowCount !== 0) {
    throw new Error('The database schema is not empty and has no table _prisma_migrations: use an empty database.');
  }
  await client.query(`CREATE TABLE _prisma_migrations (
    id varchar(36) PRIMARY KEY,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`);
}

/** Returns the row's id. */
export async function recordStart(client: ClientBase, { name, sql }: Migration): Promise<string> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksumOf(sql),
    name,
  ]);
  return id;
}

export async function recordEnd(client: ClientBase, id: string): Promise<void> {
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}

export async function recordFailure(client: ClientBase, id: string, reason: string): Promise<void> {
  await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]);
}
